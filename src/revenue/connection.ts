import { AppError } from '../errors.ts'
import { createLifecycleGoals } from '../goals/create-goals-batch.ts'
import { type Queryable, statement, type Transaction } from '../infra/db.ts'
import { seal, unseal } from '../infra/secret-box.ts'
import type { Services } from '../infra/services.ts'
import { isUuid } from '../sites/domain.ts'
import type { SiteRecord } from '../sites/schema.ts'
import type { ConnectProcessor, ProcessorConnection } from './schema.ts'

/** A connection with decrypted secrets. It must never appear in a response or a log. */
export interface OpenConnection {
  site: { siteNo: number; id: string; currency: string; timezone: string }
  webhookSecret: string
  /** Webhook secret as it is stored. Each encryption gives other bytes, so that a replaced connection is detected by them. */
  sealedSecret: Uint8Array
  apiKey: string | undefined
}

interface ConnectionRow {
  siteNo: number
  id: string
  currency: string
  timezone: string
  webhookSecret: Uint8Array
  apiKey: Uint8Array | null
}

const upsertConnection = statement<{ connectedAt: Date }>('upsert-connection')
const selectConnection = statement<{ connectedAt: Date }>('find-connection')
const deleteConnection = statement<{ siteNo: number }>('delete-connection')
const selectHeld = statement('hold-connection')
const openConnection = statement<ConnectionRow>('find-connection-secrets')

/**
 * Connects a payment processor and replaces an existing connection. The first connection creates goals for lifecycle events.
 * @throws AppError `not_found` when the site was deleted meanwhile
 */
export async function connectProcessor(
  { db, config, now }: Pick<Services, 'db' | 'config' | 'now'>,
  site: SiteRecord,
  { webhook_secret, api_key }: ConnectProcessor,
): Promise<ProcessorConnection> {
  const keep = (text: string, what: SecretName) => seal(config.secretKey, text, placeOf(site.id, what))
  const webhookSecret = keep(webhook_secret, 'webhook_secret')
  const apiKey = api_key === undefined ? null : keep(api_key, 'api_key')
  const connectedAt = await db.begin(async tx => {
    const [row] = await upsertConnection(tx, site.siteNo, webhookSecret, apiKey, now())
    if (!row) throw new AppError('not_found', 'No such site')
    await createLifecycleGoals(tx, site.siteNo)
    return row.connectedAt
  })
  return present(site, config.baseUrl, connectedAt)
}

/**
 * Returns the connection of a site without its secrets.
 * @throws AppError `not_found` when no processor is connected
 */
export async function getConnection(
  { db, config }: Pick<Services, 'db' | 'config'>,
  site: SiteRecord,
): Promise<ProcessorConnection> {
  const [row] = await selectConnection(db, site.siteNo)
  if (!row) throw notConnected()
  return present(site, config.baseUrl, row.connectedAt)
}

/**
 * Deletes the connection and its secrets. Data from the processor's events stays.
 * @throws AppError `not_found` when no processor is connected
 */
export async function disconnectProcessor(
  { db }: Pick<Services, 'db'>,
  { siteNo }: SiteRecord,
): Promise<void> {
  const [gone] = await deleteConnection(db, siteNo)
  if (!gone) throw notConnected()
}

/**
 * Returns the connection of a site.
 * @param siteId any text; only a known site id has a result
 * @param secretKey the key that the secrets are encrypted with, 64 hex digits
 * @returns undefined without a site or a connection
 * @throws AppError `unavailable` when the secrets were encrypted with another key
 */
export async function findConnection(
  db: Queryable,
  siteId: string,
  secretKey: string,
): Promise<OpenConnection | undefined> {
  const [row] = isUuid(siteId) ? await openConnection(db, siteId) : []
  if (!row) return undefined
  const { siteNo, id, currency, timezone, webhookSecret, apiKey } = row
  const open = (sealed: Uint8Array, what: SecretName) => unseal(secretKey, sealed, placeOf(id, what))
  try {
    return {
      site: { siteNo, id, currency, timezone },
      webhookSecret: open(webhookSecret, 'webhook_secret'),
      sealedSecret: webhookSecret,
      apiKey: apiKey ? open(apiKey, 'api_key') : undefined,
    }
  } catch (cause) {
    throw new AppError('unavailable', 'The secrets of this connection cannot be read: connect it again', {
      retryAfter: 60,
      cause,
    })
  }
}

/**
 * Locks the connection, so that it cannot change before the transaction ends.
 * @throws AppError `not_found` when the connection was deleted or replaced
 */
export async function holdConnection(
  tx: Transaction,
  { site, sealedSecret }: Pick<OpenConnection, 'site' | 'sealedSecret'>,
): Promise<void> {
  const held = await selectHeld(tx, site.siteNo, sealedSecret)
  if (held.length === 0) throw new AppError('not_found', 'No payment processor is connected to this site')
}

type SecretName = 'webhook_secret' | 'api_key'

const placeOf = (siteId: string, what: SecretName) => `processor_connections/${siteId}/${what}`

const notConnected = () => new AppError('not_found', 'No payment processor is connected')

function present({ id }: SiteRecord, baseUrl: string, connectedAt: Date): ProcessorConnection {
  return {
    provider: 'stripe',
    webhook_url: `${baseUrl}/api/processor/webhook/${id}`,
    connected_at: connectedAt.toISOString(),
  }
}
