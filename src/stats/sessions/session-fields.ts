import {
  DIMENSIONS,
  fieldOf,
  type SessionAttribute,
  sectionOf,
} from '../../platform/dimensions/dimensions.ts'
import type { Section } from '../../platform/dimensions/sections.ts'
import { label } from '../../platform/schema/fields.ts'
import { type Grant, mayShow } from '../sharing/grant.ts'

/** Fields for who a person is. */
export const personFields = {
  visitor_id: label('Visitor.', '0197d0a5-7c3e-7b1a-9f58-2f1c4d6e8a90'),
  user_id: label('Identified user; empty when anonymous.', 'user-42'),
  display_name: label('Name of the user, else a nickname made of the visitor id.', 'Ada Lovelace'),
  avatar_url: label(
    'Picture of the user, else one made of the visitor id; always served by the service.',
    'http://127.0.0.1:3000/avatars/0197d0a5-7c3e-7b1a-9f58-2f1c4d6e8a90.svg',
  ),
}

const EMPTY = 'Empty when unknown, and for readers without its section.'

/** What a session takes from its opening hit, and where it ended. */
export const attributeFields = {
  hostname: label(`Host of the first page. ${EMPTY}`, 'example.com'),
  entry_path: label(`Path of the first hit. ${EMPTY}`, '/pricing'),
  exit_path: label(`Path of the last pageview. ${EMPTY}`, '/checkout'),
  channel: label(`Channel. ${EMPTY}`, 'Organic Search'),
  source: label(`Source. ${EMPTY}`, 'Google'),
  referrer: label(`Host and path of the referrer. ${EMPTY}`, 'news.ycombinator.com/item'),
  utm_source: label(`Tag \`utm_source\`. ${EMPTY}`, 'newsletter'),
  utm_medium: label(`Tag \`utm_medium\`. ${EMPTY}`, 'email'),
  utm_campaign: label(`Tag \`utm_campaign\`. ${EMPTY}`, 'spring'),
  utm_content: label(`Tag \`utm_content\`. ${EMPTY}`, 'footer'),
  utm_term: label(`Tag \`utm_term\`. ${EMPTY}`, 'analytics'),
  country: label(`ISO 3166-1 alpha-2. ${EMPTY}`, 'DE'),
  region: label(`ISO 3166-2. ${EMPTY}`, 'DE-BE'),
  city: label(`City. ${EMPTY}`, 'Berlin'),
  browser: label(`Browser. ${EMPTY}`, 'Firefox'),
  browser_version: label(`Its version. ${EMPTY}`, '128'),
  os: label(`Operating system. ${EMPTY}`, 'Linux'),
  os_version: label(`Its version. ${EMPTY}`, '6.8'),
  size: label(`\`desktop\`, \`mobile\` or \`tablet\`. ${EMPTY}`, 'desktop'),
  language: label(`Language of the browser. ${EMPTY}`, 'de-DE'),
  screen: label(`Width and height in pixels. ${EMPTY}`, '1920x1080'),
}
type AttributeName = keyof typeof attributeFields

/** Attributes that are no dimensions describe the device. */
const sectionOfAttribute = (name: AttributeName): Section => {
  const dimension = DIMENSIONS.find(each => each === name)
  return dimension ? sectionOf(dimension) : 'devices'
}

/** Returns the attributes of a session; without one, and in sections that the reader may not see, they are empty. */
export function presentAttributes(
  row: Partial<Record<SessionAttribute | 'exitPath', string | null>>,
  grant: Grant | null,
): Record<AttributeName, string> {
  const names = Object.keys(attributeFields) as AttributeName[]
  return Object.fromEntries(
    names.map(name => [name, mayShow(grant, sectionOfAttribute(name)) ? (row[fieldOf(name)] ?? '') : '']),
  ) as Record<AttributeName, string>
}
