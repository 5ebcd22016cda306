import type { ListedRecipient, RecipientFields } from '../recipients/recipient-rows.ts'
import { stateOf } from '../recipients/state.ts'
import { FREQUENCIES, type Frequency } from './periods.ts'
import type { Recipient } from './report-schema.ts'

type Since = Pick<RecipientFields, 'dailySince' | 'weeklySince' | 'monthlySince'>

/** Returns since when each report is wanted: as before, or from now on. */
export function sinceOf(frequencies: readonly Frequency[], now: Date, before?: Since): Since {
  const since = (frequency: Frequency) =>
    frequencies.includes(frequency) ? (before?.[`${frequency}Since`] ?? now) : null
  return { dailySince: since('daily'), weeklySince: since('weekly'), monthlySince: since('monthly') }
}

export function presentRecipient(row: ListedRecipient): Recipient {
  return {
    id: row.id,
    address: row.address,
    frequencies: FREQUENCIES.filter(frequency => row[`${frequency}Since`] !== null),
    hour: row.hour,
    language: row.language as Recipient['language'],
    sections: row.sections as Recipient['sections'],
    skips_empty: row.skipsEmpty,
    state: stateOf(row),
    is_user: row.userId !== null,
    asked_at: row.askedAt?.toISOString() ?? null,
    last_sent: row.sentAt && {
      from: row.sentFrom!,
      to: row.sentTo!,
      kind: row.sentKind as NonNullable<Recipient['last_sent']>['kind'],
      at: row.sentAt.toISOString(),
    },
    problem: row.problem === null ? null : problemOf(row),
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
  }
}

function problemOf(row: ListedRecipient): NonNullable<Recipient['problem']> {
  type Problem = NonNullable<Recipient['problem']>
  return {
    from: row.failedFrom!,
    to: row.failedTo!,
    kind: row.failedKind as Problem['kind'],
    code: row.problem as Problem['code'],
    response: row.response ?? '',
    attempts: row.attempts!,
    next_at: row.nextAt?.toISOString() ?? null,
  }
}
