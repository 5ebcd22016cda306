import type { Audit, AuditAction, AuditEntry } from '../../access/audit/audit.ts'
import { isUuid } from '../../access/sites/domain.ts'
import type { SiteRecord } from '../../access/sites/site-schema.ts'
import type { Queryable, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { seal, unseal } from '../../platform/lib/secret-box.ts'
import type { Services } from '../../platform/services.ts'
import type { ConnectProcessor, ProcessorConnection } from '../money-schema.ts'

/** A connection with decrypted secrets. It must never appear in a response or a log. */
export interface OpenConnection {
  site: { siteNo: number; id: string; currency: string; timezone: string }
  webhookSecret: string
  /** Webhook secret as it is stored. Each encryption gives other bytes, so that a replaced connection is detected by them. */
  sealedSecret: Uint8Array
  apiKey: string | undefined
}

/** Returns no row for a deleted site. A reconnect keeps the first connection time. */
const upsertConnection = query<
  { siteNo: number; webhookSecret: Uint8Array; apiKey: Uint8Array | null; now: Date },
  { siteNo: number }
>(
  'upsert-connection',
  `insert into processor_connections (site_no, provider, webhook_secret, api_key, connected_at)
  select site_no, 'stripe', :webhookSecret::bytea, :apiKey::bytea, :now::timestamptz
  from sites
  where site_no = :siteNo and deleted_at is null
  on conflict (site_no) do update set webhook_secret = excluded.webhook_secret, api_key = excluded.api_key
  returning site_no as "siteNo"`,
)

interface ConnectionRow {
  connectedAt: Date
  importStartedAt: Date | null
}

const selectConnection = query<{ siteNo: number }, ConnectionRow>(
  'find-connection',
  `select
    connected_at as "connectedAt",
    (select started_at from revenue_imports where site_no = :siteNo) as "importStartedAt"
  from processor_connections
  where site_no = :siteNo`,
)

const deleteConnection = query<{ siteNo: number }, { siteNo: number }>(
  'delete-connection',
  'delete from processor_connections where site_no = :siteNo returning site_no as "siteNo"',
)

const lockConnectionRow = query<{ siteNo: number; webhookSecret: Uint8Array }, { siteNo: number }>(
  'lock-connection',
  `select site_no as "siteNo"
  from processor_connections
  where
    site_no = :siteNo
    and webhook_secret = :webhookSecret
    and exists (
      select from sites where sites.site_no = processor_connections.site_no and deleted_at is null
    )
  for share`,
)

const selectSecrets = query<
  { siteId: string },
  OpenConnection['site'] & { webhookSecret: Uint8Array; apiKey: Uint8Array | null }
>(
  'find-connection-secrets',
  `select
    sites.site_no as "siteNo", sites.id, sites.currency, sites.timezone,
    processor_connections.webhook_secret as "webhookSecret", processor_connections.api_key as "apiKey"
  from sites
  join processor_connections on processor_connections.site_no = sites.site_no
  where sites.id = :siteId and sites.deleted_at is null`,
)

/**
 * Connects a payment processor and replaces an existing connection.
 * @param createGoals creates goals for lifecycle events, at the first connection of the site alone
 * @throws AppError `not_found` when the site was deleted meanwhile
 */
export async function connectProcessor(
  { db, config, now, audit }: Pick<Services, 'db' | 'config' | 'now'> & { audit: Audit },
  site: SiteRecord,
  { webhook_secret, api_key }: ConnectProcessor,
  createGoals: (tx: Transaction, siteNo: number) => Promise<void>,
): Promise<ProcessorConnection> {
  const { siteNo, id } = site
  const encrypt = (text: string, what: SecretName) => seal(config.secretKey, text, storedAt(id, what))
  const webhookSecret = encrypt(webhook_secret, 'webhook_secret')
  const apiKey = api_key === undefined ? null : encrypt(api_key, 'api_key')
  const [connected] = await db.begin(async tx => {
    const rows = await upsertConnection(tx, { siteNo, webhookSecret, apiKey, now: now() })
    if (rows.length === 0) throw new AppError('not_found', 'No such site')
    await createGoals(tx, siteNo)
    await audit(tx, connectionEntry('processor.connect', site))
    return selectConnection(tx, { siteNo })
  })
  return present(site, config.baseUrl, connected!)
}

/**
 * Returns the connection of a site without its secrets.
 * @throws AppError `not_found` when no processor is connected
 */
export async function getConnection(
  { db, config }: Pick<Services, 'db' | 'config'>,
  site: SiteRecord,
): Promise<ProcessorConnection> {
  const [row] = await selectConnection(db, { siteNo: site.siteNo })
  if (!row) throw notConnected()
  return present(site, config.baseUrl, row)
}

/**
 * Deletes the connection and its secrets. Data from the processor's events stays.
 * @throws AppError `not_found` when no processor is connected
 */
export async function disconnectProcessor(
  { db, audit }: Pick<Services, 'db'> & { audit: Audit },
  site: SiteRecord,
): Promise<void> {
  await db.begin(async tx => {
    const [gone] = await deleteConnection(tx, { siteNo: site.siteNo })
    if (!gone) throw notConnected()
    await audit(tx, connectionEntry('processor.disconnect', site))
  })
}

const connectionEntry = (action: AuditAction, { id, domain }: SiteRecord): AuditEntry => ({
  action,
  object: { type: 'site', id },
  details: { domain, provider: 'stripe' },
})

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
  const [row] = isUuid(siteId) ? await selectSecrets(db, { siteId }) : []
  if (!row) return undefined
  const { webhookSecret, apiKey, ...site } = row
  const decrypt = (sealed: Uint8Array, what: SecretName) => unseal(secretKey, sealed, storedAt(site.id, what))
  try {
    return {
      site,
      webhookSecret: decrypt(webhookSecret, 'webhook_secret'),
      sealedSecret: webhookSecret,
      apiKey: apiKey ? decrypt(apiKey, 'api_key') : undefined,
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
export async function lockConnection(
  tx: Transaction,
  { site, sealedSecret }: Pick<OpenConnection, 'site' | 'sealedSecret'>,
): Promise<void> {
  const rows = await lockConnectionRow(tx, { siteNo: site.siteNo, webhookSecret: sealedSecret })
  if (rows.length === 0) throw new AppError('not_found', 'No payment processor is connected to this site')
}

type SecretName = 'webhook_secret' | 'api_key'

const storedAt = (siteId: string, what: SecretName) => `processor_connections/${siteId}/${what}`

const notConnected = () => new AppError('not_found', 'No payment processor is connected')

function present(
  { id }: SiteRecord,
  baseUrl: string,
  { connectedAt, importStartedAt }: ConnectionRow,
): ProcessorConnection {
  return {
    provider: 'stripe',
    webhook_url: `${baseUrl}/api/processor/webhook/${id}`,
    connected_at: connectedAt.toISOString(),
    import_started_at: importStartedAt?.toISOString() ?? null,
  }
}
