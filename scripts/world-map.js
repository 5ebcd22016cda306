// Makes the paths of the country map from world-atlas (Natural Earth, public domain).
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { geoNaturalEarth1, geoPath } from 'd3-geo'
import { feature } from 'topojson-client'

const require = createRequire(import.meta.url)
const read = path => JSON.parse(readFileSync(require.resolve(path), 'utf8'))

const WIDTH = 960
const HEIGHT = 470

/**
 * Writes `{width, height, countries: {DE: 'M…'}}`: an SVG path for each country by its ISO 3166 code, without Antarctica.
 * @param {string} file
 */
export function writeWorldMap(file) {
  const world = read('world-atlas/countries-110m.json')
  const codes = new Map(read('i18n-iso-countries/codes.json').map(([alpha2, , numeric]) => [numeric, alpha2]))
  const shapes = feature(world, world.objects.countries)
  const features = shapes.features.filter(({ id }) => codes.has(id) && codes.get(id) !== 'AQ')
  const projection = geoNaturalEarth1().fitSize([WIDTH, HEIGHT], { type: 'FeatureCollection', features })
  const path = geoPath(projection).digits(1)
  const countries = Object.fromEntries(features.map(shape => [codes.get(shape.id), path(shape)]))
  writeFileSync(file, JSON.stringify({ width: WIDTH, height: HEIGHT, countries }))
}
