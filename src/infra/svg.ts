/** Text as it stands inside an SVG element. */
export function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, character => `&#${character.charCodeAt(0)};`)
}
