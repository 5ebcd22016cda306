import type { Config } from '../../../platform/config/config.ts'
import type { EndpointRow } from './endpoint-rows.ts'
import { unsealOf } from './secrets.ts'
import type { Webhook } from './webhook-schema.ts'

/** Only owners and admins read it: they see the URL, unless it is a secret as a whole, as those of Slack and Discord are. */
export function presentEndpoint(row: EndpointRow, { secretKey }: Pick<Config, 'secretKey'>): Webhook {
  return {
    id: row.id,
    name: row.name,
    format: row.format,
    url: row.format === 'signed' ? readableUrl(row, secretKey) : row.shownUrl,
    kinds: row.kinds as Webhook['kinds'],
    is_enabled: row.isEnabled,
    failing_since: row.failingSince?.toISOString() ?? null,
    given_up_at: row.givenUpAt?.toISOString() ?? null,
    waiting: row.waiting,
    dropped: row.dropped,
    previous_secret_until: row.previousSecretUntil?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  }
}

function readableUrl({ id, url, shownUrl }: EndpointRow, secretKey: string): string {
  try {
    return unsealOf(secretKey, id, 'url', url)
  } catch {
    // Encrypted with another SECRET_KEY: its owners must set it again.
    return shownUrl
  }
}
