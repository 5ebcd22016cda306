/** A country map, made by scripts/world-map.js. */
declare const map: {
  width: number
  height: number
  /** SVG paths by ISO 3166-1 alpha-2 code. */
  countries: Readonly<Record<string, string>>
}
export default map
