/** Version of the bodies. A field may be added without a new one. */
const API_VERSION = '2026-11-23'

export interface OutgoingEvent {
  id: string
  type: string
  createdAt: Date
  siteId: string
  domain: string
  /** JSON */
  data: string
}

/** Returns the whole `data` of an event, whose hit may be stored beside it. */
export const wholeData = (data: string, hitData: string | null): string =>
  hitData === null ? data : JSON.stringify({ ...JSON.parse(data), ...JSON.parse(hitData) })

/** Returns the JSON that is sent for an event: the same text with each attempt, unless the site has got another domain. */
export const bodyOf = ({ id, type, createdAt, siteId, domain, data }: OutgoingEvent): string =>
  JSON.stringify({
    id,
    type,
    api_version: API_VERSION,
    created: createdAt.toISOString(),
    site: { id: siteId, domain },
    data: JSON.parse(data),
  })
