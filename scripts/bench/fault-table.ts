/** A mistake of the kind that people make. */
export interface Fault {
  /** What is wrong then, for a person who looks at the numbers. */
  name: string
  /** Relative to the root. */
  file: string
  /** Occurs exactly once in the file. */
  find: string
  replace: string
}

/** Returns the text of a file with a fault in it. @throws Error when the place of the fault is gone, or is not the only one */
export function withFault({ name, file, find, replace }: Fault, text: string): string {
  if (text.split(find).length !== 2) throw new Error(`${file} does not have the place of "${name}" once`)
  return text.replace(find, () => replace)
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'time: "yesterday" ends today',
    file: 'src/platform/time/presets.ts',
    find: 'yesterday: today => [today - 1, today - 1]',
    replace: 'yesterday: today => [today - 1, today]',
  },
  {
    name: 'sessions: a hit exactly 30 minutes later opens a new one',
    file: 'src/ingestion/store/session-rules.ts',
    find: 'if (Math.min(leftGap, rightGap) > SESSION_GAP_MS) return undefined',
    replace: 'if (Math.min(leftGap, rightGap) >= SESSION_GAP_MS) return undefined',
  },
  {
    name: 'sessions: one that runs over midnight is split',
    file: 'src/ingestion/store/session-rules.ts',
    find: 'if (previous && !isRunning(own) && isRunning(previous)) return previous',
    replace: '',
  },
  {
    name: 'storing: a hit that is delivered again is counted twice',
    file: 'src/ingestion/store/find-stored.ts',
    find: 'if (!isCutOff) return new Set(near.map(row => row.id!))',
    replace: 'if (!isCutOff) return new Set()',
  },
  {
    name: 'storing: a batch that failed is taken from the queue as done',
    file: 'src/ingestion/store/hit-consumer.ts',
    find: "if (outcome.status === 'rejected') throw outcome.reason",
    replace: "if (outcome.status === 'rejected') log.warn({ error: outcome.reason }, 'a batch failed')",
  },
  {
    name: 'rollups: a late hit marks nothing dirty',
    file: 'src/storage/rollups/dirty.ts',
    find: 'where bucket < watermark',
    replace: 'where bucket > watermark',
  },
  {
    name: 'attribution: the session of a payment is looked for on all sites',
    file: 'sql/queries/find-attribution.sql',
    find: 'where visitors.site_no = :siteNo::int and visitors.id = :visitorId::uuid',
    replace: 'where :siteNo::int > 0 and visitors.id = :visitorId::uuid',
  },
  {
    name: 'segments: those of other sites can be changed',
    file: 'src/stats/segments/segment-rows.ts',
    find: "const VISIBLE = 'site_no = :siteNo and (user_id is null or user_id = :userId)'",
    replace: "const VISIBLE = ':siteNo::int > 0 and (user_id is null or user_id = :userId)'",
  },
  {
    name: 'access: a viewer may change a site',
    file: 'src/trpc/procedures.ts',
    find: '  .use(async ({ ctx, next }) => {\n    refuseViewer(ctx.caller)\n    return next()\n  })\n  .use(knownFields)\n\nconst MANAGERS_OF_ALL',
    replace: '  .use(async ({ next }) => next())\n  .use(knownFields)\n\nconst MANAGERS_OF_ALL',
  },
  {
    name: 'access: a token that may only read may also change',
    file: 'src/trpc/meta.ts',
    find: "type === 'query' ? ['read'] : [scope ?? 'write',",
    replace: "type === 'query' ? ['read'] : [scope ?? 'read',",
  },
  {
    name: 'access: a token works after its end',
    file: 'src/access/teams/authenticate-token.ts',
    find: '!found || (found.expiresAt && found.expiresAt <= at) ? undefined',
    replace: '!found || (found.expiresAt && found.expiresAt > at) ? undefined',
  },
  {
    name: 'teams: an admin may remove an owner',
    file: 'src/access/teams/role-rules.ts',
    find: "if (rolesToGive(manager).includes(role)) return\n  throw new AppError('forbidden', 'Only owners may change or remove an owner')",
    replace:
      "if (rolesToGive(manager).length > 0) return\n  throw new AppError('forbidden', 'Only owners may change or remove an owner')",
  },
  {
    name: 'sharing: readers see sections that are not shared with them',
    file: 'src/stats/sharing/grant.ts',
    find: 'grant === null || grant.sections.has(section)',
    replace: 'grant === null || grant.sections.size > 0',
  },
  {
    name: 'sign-in: a code of a second factor works twice',
    file: 'src/access/accounts/totp.ts',
    find: '(totp_step is null or totp_step < :step::bigint)',
    replace: '(totp_step is null or totp_step <= :step::bigint)',
  },
  {
    name: 'filters: "does not contain" finds what contains it',
    file: 'src/stats/counts/shared/match-texts.ts',
    find: 'passes[number]! ^= 1',
    replace: 'passes[number]! ^= 0',
  },
  {
    name: 'funnels: the first matching step does not win',
    file: 'src/stats/funnels/chains.ts',
    find: 'compareMoments(moments, chain[0]!, than.chain[0]!) < 0)',
    replace: 'compareMoments(moments, chain[0]!, than.chain[0]!) > 0)',
  },
  {
    name: 'goals: the properties of a goal are not looked at',
    file: 'src/stats/goals/goal-target.ts',
    find: 'props: goal.customProps,',
    replace: 'props: {},',
  },
  {
    name: 'numbers: halves are cut instead of rounded',
    file: 'src/platform/lib/numbers.ts',
    find: 'const rounded = (magnitude * 2n + under) / (under * 2n)',
    replace: 'const rounded = magnitude / under',
  },
  {
    name: 'money: an amount without minor units is shown with two',
    file: 'src/money/money-text.ts',
    find: 'const digits = options.maximumFractionDigits ?? 2',
    replace: 'const digits = options.currency ? 2 : 0',
  },
  {
    name: 'revenue: a weekly price counts as four weeks a month',
    file: 'src/money/subscriptions/mrr.ts',
    find: 'return { of: 52, in: 12 * count }',
    replace: 'return { of: 48, in: 12 * count }',
  },
  {
    name: 'revenue: a signature is taken however old it is',
    file: 'src/money/processor/stripe.ts',
    find: 'const TOLERANCE = 300',
    replace: 'const TOLERANCE = 300_000',
  },
  {
    name: 'retention: a month too much is deleted',
    file: 'src/outgoing/retention/boundaries.ts',
    find: '.filter(start => start <= limit)',
    replace: '.filter(start => start <= limit + 30 * DAY_MS)',
  },
  {
    name: 'erasure: sessions of before the request stay',
    file: 'src/outgoing/people/erase/erase-sessions.ts',
    find: 'where site_no = :siteNo and visitor_no = :visitorNo and started_at < :until',
    replace: 'where site_no = :siteNo and visitor_no = :visitorNo and started_at > :until',
  },
  {
    name: 'webhooks: only the first of two secrets signs',
    file: 'src/outgoing/notifications/webhooks/signature.ts',
    find: 'const hashes = secrets.map(',
    replace: 'const hashes = secrets.slice(0, 1).map(',
  },
  {
    name: 'reports: a weekly report covers eight days',
    file: 'src/outgoing/notifications/reports/periods.ts',
    find: 'weekly: sentOn => sentOn - 7,',
    replace: 'weekly: sentOn => sentOn - 8,',
  },
  {
    name: 'mails: texts of hits are not escaped',
    file: 'src/platform/mail/letter.ts',
    find: 'text.replace(/[&<>"\']/g, character => ENTITIES[character]!)',
    replace: 'text.replace(/[&"\']/g, character => ENTITIES[character]!)',
  },
  {
    name: 'files: a spreadsheet runs a formula from a hit',
    file: 'src/http/api/csv/columns.ts',
    find: 'escape_formulas: true',
    replace: 'escape_formulas: false',
  },
  {
    name: 'web: an address from a hit is a link whatever its scheme',
    file: 'src/web/parts/hostile-text.tsx',
    find: 'if (!/^https?:\\/\\//i.test(address) || !URL.canParse(address)) return text',
    replace: 'if (!URL.canParse(address)) return text',
  },
  {
    name: 'tracker: time goes on while the page is hidden',
    file: 'src/tracker/engagement.ts',
    find: "since = !read(document, 'hidden') && read(document, 'hasFocus').call(document) ? now : 0",
    replace: 'since = now',
  },
  {
    name: 'limits: a refusal for lack of time says nothing about when to come back',
    file: 'src/platform/errors.ts',
    find: "(code === 'unavailable' ? RETRY_AFTER : undefined)",
    replace: 'undefined',
  },
]
