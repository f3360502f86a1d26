/** By its name: does a header hold a key, a cookie or the like? */
export function isSecretHeader(name: string): boolean {
  return /auth|cookie|key|token|secret|password|credential|signature/i.test(name);
}
