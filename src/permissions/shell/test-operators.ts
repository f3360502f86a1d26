/** `-v` and `-R` look a variable up by a computed name, and a subscript in that name is executed. */
export function isHarmlessUnaryTest(operator: string): boolean {
  return /^-[abcdefghknoprstuwxzGLNOS]$/.test(operator);
}
