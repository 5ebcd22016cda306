import { randomUUID } from 'node:crypto'
import { validate as isUuid } from 'uuid'
import type { Audit } from '../../../access/audit/audit.ts'
import { lockSite } from '../../../access/sites/lock-site.ts'
import type { SiteRecord } from '../../../access/sites/site-schema.ts'
import type { Caller } from '../../../access/teams/caller.ts'
import { keepToken, requireMaker } from '../../../access/teams/token-rules.ts'
import type { Queryable, Transaction } from '../../../platform/db/connect.ts'
import { AppError, invalidField } from '../../../platform/errors.ts'
import { HOUR_MS } from '../../../platform/lib/time.ts'
import type { Services } from '../../../platform/services.ts'
import {
  deleteEndpoint,
  type EndpointRow,
  endWaiting,
  insertEndpoint,
  lockEndpoint,
  replaceSecret,
  selectEndpoints,
  updateEndpoint,
  updateWatching,
} from './endpoint-rows.ts'
import { problemOfUrl, sentUrl, shownUrl } from './endpoint-url.ts'
import { presentEndpoint } from './present-endpoint.ts'
import { makeSecret, sealOf } from './secrets.ts'
import { MOST_ENDPOINTS } from './webhook-limits.ts'
import {
  ChangeWebhook,
  type CreatedWebhook,
  type CreateWebhook,
  type RotatedSecret,
  type RotateSecret,
  type Webhook,
} from './webhook-schema.ts'

type Parts = Pick<Services, 'db' | 'config' | 'now'> & { audit: Audit }
type Site = Pick<SiteRecord, 'siteNo' | 'domain'>
type Maker = Pick<Caller, 'tokenId'>

/** Returns the endpoints of a site, the oldest first. */
export async function listWebhooks(
  { db, config }: Pick<Services, 'db' | 'config'>,
  { siteNo }: Site,
): Promise<Webhook[]> {
  return (await selectEndpoints(db, { siteNo, id: null })).map(row => presentEndpoint(row, config))
}

/** @throws AppError `not_found` */
export async function findEndpoint(db: Queryable, { siteNo }: Site, id: string): Promise<EndpointRow> {
  const [row] = isUuid(id) ? await selectEndpoints(db, { siteNo, id }) : []
  if (!row) throw noSuchEndpoint()
  return row
}

/**
 * Makes a webhook. That of a token ends with the token.
 * @throws AppError `validation_failed` for a URL that may not be used; `forbidden` when the site has the most endpoints;
 * `not_found` when it was deleted meanwhile
 */
export async function createWebhook(
  { db, config, now, audit }: Parts,
  caller: Maker,
  site: Site,
  { name, url, kinds, format }: CreateWebhook,
): Promise<CreatedWebhook> {
  requireUrl(url, config)
  const id = randomUUID()
  const secret = format === 'signed' ? makeSecret() : null
  const row = await db.begin(async transaction => {
    await lockSite(transaction, site)
    const present = await selectEndpoints(transaction, { siteNo: site.siteNo, id: null })
    if (present.length >= MOST_ENDPOINTS) {
      throw new AppError('forbidden', `The site has ${MOST_ENDPOINTS} endpoints, as many as it may`)
    }
    const shown = shownUrl(url)
    await record(audit, transaction, site, 'webhook.create', { id, name, shownUrl: shown })
    await keepToken(transaction, caller)
    const [made] = await insertEndpoint(transaction, {
      id,
      siteNo: site.siteNo,
      name,
      format,
      url: sealOf(config.secretKey, id, 'url', sentUrl(url)),
      shownUrl: shown,
      kinds,
      tokenId: caller.tokenId,
      secret: secret === null ? null : sealOf(config.secretKey, id, 'secret', secret),
      now: now(),
    })
    await updateWatching(transaction, site)
    return made!
  })
  return { ...presentEndpoint(row, config), secret }
}

/**
 * Changes a webhook. A token changes only webhooks that it made; one that a browser switches on no longer ends with a token.
 * @throws AppError as `createWebhook`; `not_found` for an unknown endpoint
 */
export async function changeWebhook(
  { db, config, now, audit }: Parts,
  caller: Maker,
  site: Site,
  id: string,
  changes: ChangeWebhook,
): Promise<Webhook> {
  const { url } = changes
  if (url !== undefined) requireUrl(url, config)
  const row = await db.begin(async transaction => {
    await lockSite(transaction, site)
    const before = await lock(transaction, site, id)
    requireMaker(caller, before, 'webhooks')
    const isEnabled = changes.is_enabled ?? before.isEnabled
    const isTakenOver = caller.tokenId === null && changes.is_enabled === true
    const [changed] = await updateEndpoint(transaction, {
      id,
      name: changes.name ?? before.name,
      url: url === undefined ? null : sealOf(config.secretKey, id, 'url', sentUrl(url)),
      shownUrl: url === undefined ? before.shownUrl : shownUrl(url),
      kinds: changes.kinds ?? before.kinds,
      isEnabled,
      wasEnabled: before.isEnabled,
      tokenId: isTakenOver ? null : before.tokenId,
      now: now(),
    })
    if (!isEnabled) await endWaiting(transaction, { id, now: now() })
    await updateWatching(transaction, site)
    const names = ChangeWebhook.keyof().options.filter(name => changes[name] !== undefined)
    await record(audit, transaction, site, 'webhook.change', changed!, { changed: names })
    return isEnabled ? changed! : { ...changed!, waiting: 0 }
  })
  return presentEndpoint(row, config)
}

/** Deletes an endpoint with its log. @throws AppError `not_found` */
export async function removeWebhook({ db, audit }: Parts, site: Site, id: string): Promise<void> {
  await db.begin(async transaction => {
    await lockSite(transaction, site)
    const gone = await lock(transaction, site, id)
    await deleteEndpoint(transaction, { id })
    await updateWatching(transaction, site)
    await record(audit, transaction, site, 'webhook.delete', gone)
  })
}

/**
 * Makes a new secret. The one before signs, too, for some hours, so that receivers can be changed in that time. A token makes one only for
 * webhooks that it made: what it knows ends with it.
 * @throws AppError `not_found`; `forbidden`; `validation_failed` for an endpoint without a secret
 */
export async function rotateSecret(
  { db, config, now, audit }: Parts,
  caller: Maker,
  site: Site,
  id: string,
  { overlap_hours: hours }: RotateSecret,
): Promise<RotatedSecret> {
  const secret = makeSecret()
  const until = hours === 0 ? null : new Date(now().getTime() + hours * HOUR_MS)
  await db.begin(async transaction => {
    const row = await lock(transaction, site, id)
    requireMaker(caller, row, 'webhooks')
    if (row.format !== 'signed') throw invalidField('webhook', 'Only signed endpoints have a secret')
    await replaceSecret(transaction, { id, secret: sealOf(config.secretKey, id, 'secret', secret), until })
    await record(audit, transaction, site, 'webhook.rotate', row)
  })
  return { secret, previous_secret_until: until?.toISOString() ?? null }
}

function requireUrl(url: string, { webhookNetworks }: Services['config']): void {
  const problem = problemOfUrl(url, webhookNetworks)
  if (problem !== undefined) throw invalidField('url', problem)
}

async function lock(transaction: Transaction, { siteNo }: Site, id: string): Promise<EndpointRow> {
  const [row] = isUuid(id) ? await lockEndpoint(transaction, { siteNo, id }) : []
  if (!row) throw noSuchEndpoint()
  return row
}

const noSuchEndpoint = () => new AppError('not_found', 'No such webhook')

async function record(
  audit: Audit,
  transaction: Transaction,
  { domain }: Site,
  action: 'webhook.create' | 'webhook.change' | 'webhook.delete' | 'webhook.rotate',
  { id, name, shownUrl }: Pick<EndpointRow, 'id' | 'name' | 'shownUrl'>,
  details: { changed?: string[] } = {},
): Promise<void> {
  // The rest of the URL may hold a secret.
  const { origin: url } = new URL(shownUrl)
  await audit(transaction, {
    action,
    object: { type: 'webhook', id },
    details: { name, url, domain, ...details },
  })
}
