import { validate as isUuid } from 'uuid'
import type { SiteRecord } from '../../../access/sites/site-schema.ts'
import { type PageUrl, paginate, windowOf } from '../../../platform/schema/pagination.ts'
import type { Services } from '../../../platform/services.ts'
import { bodyOf, wholeData } from './body.ts'
import { findEndpoint } from './endpoints.ts'
import {
  countDeliveries,
  findDelivery,
  noSuchDelivery,
  presentDelivery,
  selectAttempts,
  selectDeliveries,
} from './log-rows.ts'
import type { DeliveryDetail, ListDeliveries } from './webhook-schema.ts'

type Site = Pick<SiteRecord, 'siteNo' | 'id' | 'domain'>

/** Returns a page of the deliveries of an endpoint, the newest first. @throws AppError `not_found` */
export async function listDeliveries(
  context: Pick<Services, 'db'> & { pageUrl: PageUrl },
  site: Site,
  input: ListDeliveries,
) {
  const { id: endpointId } = await findEndpoint(context.db, site, input.webhook)
  const wanted = { endpointId, state: input.state ?? null }
  const [rows, [total]] = await Promise.all([
    selectDeliveries(context.db, { ...wanted, ...windowOf(input) }),
    countDeliveries(context.db, wanted),
  ])
  return paginate(context, input, { rows: rows.map(presentDelivery), total: total!.count })
}

/** Returns a delivery with its attempts and what is sent. @throws AppError `not_found` */
export async function getDelivery(
  { db }: Pick<Services, 'db'>,
  site: Site,
  webhook: string,
  id: string,
): Promise<DeliveryDetail> {
  const { id: endpointId } = await findEndpoint(db, site, webhook)
  const [row] = isUuid(id) ? await findDelivery(db, { endpointId, id }) : []
  if (!row) throw noSuchDelivery()
  const { eventId, type, eventCreatedAt: createdAt } = row
  const data = wholeData(row.data, row.hitData)
  const attempts = await selectAttempts(db, { id })
  return {
    ...presentDelivery(row),
    body: bodyOf({ id: eventId, type, createdAt, siteId: site.id, domain: site.domain, data }),
    log: attempts.map(({ at, tookMs, ...each }) => ({ ...each, at: at.toISOString(), took_ms: tookMs })),
  }
}
