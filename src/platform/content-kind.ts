export type ContentKind =
  | { readonly type: "text" }
  | { readonly type: "image"; readonly name: string; readonly mediaType: string }
  /** `name` is "binary data" when nothing better is known. */
  | { readonly type: "binary"; readonly name: string };

type Signature = { readonly name: string; readonly at?: number; readonly bytes: string; readonly mediaType?: string };

const gifs: readonly Signature[] = ["GIF87a", "GIF89a"].map((bytes) => ({
  name: "GIF image",
  bytes,
  mediaType: "image/gif",
}));

/** Enough bytes to decide alone: no text begins like this. */
const certain: readonly Signature[] = [
  { name: "PNG image", bytes: "\x89PNG\r\n\x1a\n", mediaType: "image/png" },
  { name: "JPEG image", bytes: "\xff\xd8\xff", mediaType: "image/jpeg" },
  ...gifs,
  { name: "WebP image", at: 8, bytes: "WEBPVP8", mediaType: "image/webp" },
  { name: "PDF document", bytes: "%PDF-" },
  { name: "ELF program or library", bytes: "\x7fELF" },
  { name: "ZIP archive (also jar, docx, xlsx, apk)", bytes: "PK\x03\x04" },
  { name: "ZIP archive, empty", bytes: "PK\x05\x06" },
  { name: "gzip archive", bytes: "\x1f\x8b\x08" },
  { name: "xz archive", bytes: "\xfd7zXZ\0" },
  { name: "bzip2 archive", at: 4, bytes: "1AY&SY" },
  { name: "zstd archive", bytes: "\x28\xb5\x2f\xfd" },
  { name: "7z archive", bytes: "7z\xbc\xaf\x27\x1c" },
  { name: "RAR archive", bytes: "Rar!\x1a\x07" },
  { name: "SQLite database", bytes: "SQLite format 3\0" },
  { name: "WebAssembly module", bytes: "\0asm" },
  { name: "UTF-32 text", bytes: "\xff\xfe\0\0" },
  { name: "UTF-32 text", bytes: "\0\0\xfe\xff" },
];

/** Names for what is already known to be binary; too short to decide alone. */
const likely: readonly Signature[] = [
  { name: "Windows program or library", bytes: "MZ" },
  { name: "Mach-O program or library", bytes: "\xcf\xfa\xed\xfe" },
  { name: "Java class or Mach-O universal binary", bytes: "\xca\xfe\xba\xbe" },
  { name: "tar archive", at: 257, bytes: "ustar" },
  { name: "static library or Debian package", bytes: "!<arch>\n" },
  { name: "BMP image", bytes: "BM" },
  { name: "TIFF image", bytes: "II*\0" },
  { name: "TIFF image", bytes: "MM\0*" },
  { name: "icon", bytes: "\0\0\x01\0" },
  { name: "MP4 or HEIC media", at: 4, bytes: "ftyp" },
  { name: "WAV audio", at: 8, bytes: "WAVE" },
  { name: "AVI video", at: 8, bytes: "AVI " },
  { name: "Matroska or WebM video", bytes: "\x1a\x45\xdf\xa3" },
  { name: "MP3 audio", bytes: "ID3" },
  { name: "Ogg media", bytes: "OggS" },
  { name: "FLAC audio", bytes: "fLaC" },
  { name: "WOFF font", bytes: "wOFF" },
  { name: "WOFF2 font", bytes: "wOF2" },
  { name: "OpenType font", bytes: "OTTO" },
  { name: "TrueType font", bytes: "\0\x01\0\0" },
  { name: "git pack", bytes: "PACK" },
  { name: "git index", bytes: "DIRC" },
];

/** Bytes of the beginning that are looked at. */
export const sniffBytes = 65_536;

/** Decides from the beginning of a file. UTF-16 must have been ruled out before: it is full of NUL bytes. */
export function kindOf(head: Buffer): ContentKind {
  const found = certain.find((signature) => fits(head, signature));
  if (found?.mediaType) return { type: "image", name: found.name, mediaType: found.mediaType };
  if (found) return { type: "binary", name: found.name };
  if (!head.includes(0) && !isNoise(head)) return { type: "text" };
  return { type: "binary", name: likely.find((signature) => fits(head, signature))?.name ?? "binary data" };
}

function fits(head: Buffer, { at = 0, bytes }: Signature): boolean {
  return head.toString("latin1", at, at + bytes.length) === bytes;
}

/** Compressed or encrypted data can lack NUL bytes by chance, never control characters. */
function isNoise(head: Buffer): boolean {
  let control = 0;
  for (const byte of head) if (byte < 32 && (byte < 7 || byte > 13) && byte !== 27) control++;
  return control * 20 > head.length;
}
