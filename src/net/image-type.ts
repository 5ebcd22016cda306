/** First bytes of the raster formats that are served, one character per byte. SVG is excluded: it can contain scripts. */
const SIGNATURES: [type: string, bytes: RegExp][] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: bytes of a file, not text
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: bytes of a file, not text
  ['image/x-icon', /^\0\0\x01\0[\x01-\xff]/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
]

/** Returns the media type by the bytes, not by the header of the server; undefined for all but common raster images. */
export function rasterTypeOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  return SIGNATURES.find(([, signature]) => signature.test(start))?.[0]
}
