/** Escapes a text for the content of an SVG element. */
export function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, character => `&#${character.charCodeAt(0)};`)
}
