import type { Dimension } from './dimensions.ts'

const of = (description: string, ...example: string[]) => ({ description, example })

/** Dimension descriptions: text and examples of each filter, for the API description. */
export const MEANINGS: Record<Dimension | 'campaign', { description: string; example: string[] }> = {
  path: of('Path of the hit.', '/pricing'),
  entry_path: of("Path of the session's first hit.", '/'),
  title: of('Title of the hit.', 'Pricing'),
  hostname: of('Host of the hit.', 'example.com'),
  user_id: of('Identified user of the session.', 'user-42'),
  event_name: of('Name of the event.', 'signup'),
  visit_count: of('Which session of the visitor it is, from 1.', '1'),
  referrer: of('Host and path of the referrer.', 'news.ycombinator.com/item'),
  channel: of('Channel of the session.', 'Organic Search'),
  source: of('Source of the session.', 'Google'),
  utm_source: of('Tag `utm_source`.', 'newsletter'),
  utm_medium: of('Tag `utm_medium`.', 'email'),
  utm_campaign: of('Tag `utm_campaign`.', 'spring'),
  utm_content: of('Tag `utm_content`.', 'footer'),
  utm_term: of('Tag `utm_term`.', 'analytics'),
  browser: of('Browser of the session.', 'Firefox'),
  os: of('Operating system of the session.', 'Linux'),
  size: of('`desktop`, `mobile` or `tablet`.', 'mobile'),
  country: of('ISO 3166-1 alpha-2.', 'DE', 'AT'),
  region: of('ISO 3166-2.', 'DE-BE'),
  city: of('City.', 'Berlin'),
  campaign: of('The same as `utm_campaign`.', 'spring'),
}
