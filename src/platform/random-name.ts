const letters = "abcdefghijklmnopqrstuvwxyz0123456789";

/** A name nobody else is likely to have. Unique, not secret: `node:crypto` would cost milliseconds at every start. */
export function randomName(length: number): string {
  let name = "";
  for (let i = 0; i < length; i++) name += letters[Math.floor(Math.random() * letters.length)];
  return name;
}
