import type { Queryable } from '../../platform/db/connect.ts'
import { inTransaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { tellLogin } from '../accounts/notices/notices.ts'
import type { Audit } from '../audit/audit.ts'
import { type Caller, DEFAULT_SCOPES, SCOPES, type Scope } from './caller.ts'
import { requireTeamSites } from './site-limits.ts'
import { generateToken, hashToken } from './token-format.ts'
import { lockTokensOf, presentToken, TOKEN_COLUMNS, type TokenRow } from './token-rows.ts'
import type { CreatedToken, CreateToken } from './token-schema.ts'

interface NewToken {
  teamId: string
  userId: string
  name: string
  siteIds: string[] | null
  expiresAt: Date | null
  /** `DEFAULT_SCOPES` when it is left out. */
  scopes?: Scope[]
  /** Id of the token that creates this one; absent or null on the command line and in a browser. */
  makerId?: string | null
}

const countLiveTokens = query<{ userId: string; now: Date }, { count: number }>(
  'count-live-tokens',
  `select count(*)::int as count
  from tokens
  where user_id = :userId and (expires_at is null or expires_at > :now::timestamptz)`,
)

/** Deletes the expired tokens of a user, except the `kept` that expired last. */
const deleteExpiredTokens = query<{ userId: string; now: Date; kept: number }>(
  'delete-expired-tokens',
  `delete from tokens
  where
    id in (
      select id
      from tokens
      where user_id = :userId and expires_at <= :now::timestamptz
      order by expires_at desc, id
      offset :kept
    )`,
)

/** Returns no row when the user is not in the team, or when the maker token does not exist any more. */
const insertToken = query<Required<NewToken> & { hash: Uint8Array }, TokenRow>(
  'create-token',
  `insert into tokens (team_id, user_id, name, hash, site_ids, scopes, expires_at, created_by, made_through)
  select users.team_id, users.id, :name, :hash, :siteIds, :scopes, :expiresAt, maker.id,
    coalesce(maker.made_through || maker.id, '{}')
  from users
  left join tokens as maker on maker.id = :makerId::uuid and maker.user_id = users.id
  where users.team_id = :teamId and users.id = :userId and (:makerId::uuid is null or maker.id is not null)
  returning ${TOKEN_COLUMNS}`,
)

/** Maximum valid tokens of a user. More tokens of 60 calls a minute each would not allow more calls. */
export const MAX_LIVE_TOKENS = 50
/** Maximum expired tokens of a user that are kept and listed. Without it, short-lived tokens could fill the table. */
const MAX_EXPIRED_TOKENS = 50

/**
 * Creates a token that acts as `userId` in `teamId`.
 * @param options.siteIds sites that the token is limited to; null for every site of the team
 * @returns the token in clear text, which is never shown again: only its SHA-256 is stored
 * @throws AppError `not_found` when the user or one of the sites does not belong to the team; `forbidden` when the user has
 * the maximum number of valid tokens
 */
export async function createToken(
  db: Queryable,
  options: NewToken,
  now: Date,
  audit?: Audit,
): Promise<CreatedToken> {
  const siteIds = await requireTeamSites(db, options.teamId, options.siteIds)
  return storeToken(db, { ...options, siteIds }, now, audit)
}

/** Creates a token without checking that its sites belong to the team. */
async function storeToken(db: Queryable, options: NewToken, now: Date, audit?: Audit): Promise<CreatedToken> {
  const { teamId, userId, makerId = null } = options
  const token = generateToken()
  const row = await inTransaction(db, async transaction => {
    await lockTokensOf(transaction, teamId, userId)
    await requireTokenRoom(transaction, userId, now)
    await deleteExpiredTokens(transaction, { userId, now, kept: MAX_EXPIRED_TOKENS })
    const scopes = options.scopes ?? [...DEFAULT_SCOPES]
    const [made] = await insertToken(transaction, { ...options, scopes, makerId, hash: hashToken(token) })
    // The maker token was revoked while this transaction waited for the lock: the new token would outlive it.
    if (!made) throw new AppError('unauthenticated', 'The token is not valid')
    await audit?.(transaction, {
      action: 'token.create',
      object: { type: 'token', id: made.id },
      details: { name: made.name },
    })
    return made
  })
  const { created_by: _, user_id: __, user_email: ___, ...shown } = presentToken(row)
  return { ...shown, token }
}

/** @throws AppError `forbidden` when the user has the maximum number of valid tokens */
export async function requireTokenRoom(db: Queryable, userId: string, now: Date): Promise<void> {
  const [live] = await countLiveTokens(db, { userId, now })
  if (live!.count >= MAX_LIVE_TOKENS) {
    throw new AppError(
      'forbidden',
      `The user has ${MAX_LIVE_TOKENS} tokens that work, as many as one may have: revoke one that is not needed`,
    )
  }
}

/**
 * Creates a token for the caller's user. Its sites and its lifetime never exceed those of the caller's own token; fields
 * that are left out are copied from that token, but for the scope `admin`.
 * @throws AppError `not_found` for a site that the caller cannot access; `validation_failed` for an expiry in the past or
 * later than the caller's own; `forbidden` when the user has the maximum number of valid tokens
 */
export async function issueToken(
  services: Pick<Services, 'db' | 'config' | 'now'> & {
    audit: Audit
    userAgent: string
    auditNetwork: string
  },
  caller: Caller,
  input: CreateToken,
): Promise<CreatedToken> {
  const { db, now } = services
  const { teamId, userId, tokenId: makerId } = caller
  const expiresAt = input.expires_at ?? caller.expiresAt
  const at = now()
  if (expiresAt && expiresAt <= at) throw invalidField('expires_at', 'expires_at must be in the future')
  if (caller.expiresAt && expiresAt! > caller.expiresAt) {
    throw invalidField('expires_at', 'expires_at must not be later than that of the token you use')
  }
  const scopes = input.scopes
    ? SCOPES.filter(scope => input.scopes!.includes(scope))
    : caller.scopes.filter(scope => DEFAULT_SCOPES.includes(scope))
  const wider = scopes.find(scope => !caller.scopes.includes(scope))
  if (wider)
    throw invalidField('scopes', `scopes must not have ${wider}, which the token you use does not have`)
  const token = { teamId, userId, name: input.name, scopes, expiresAt, makerId }
  const audit: Audit = async (transaction, entry) => {
    await services.audit(transaction, entry)
    await tellOfToken(transaction, services, caller, input)
  }
  // Do not check sites copied from the caller's token: some may have been deleted since, which must not fail the request. The sites
  // of its user limit the new token, too, at every use.
  if (!input.site_ids) return storeToken(db, { ...token, siteIds: caller.tokenSiteIds }, at, audit)
  const siteIds = input.site_ids.map(id => id.toLowerCase())
  if (caller.siteIds && !siteIds.every(id => caller.siteIds!.includes(id)))
    throw new AppError('not_found', 'No such site')
  return createToken(db, { ...token, siteIds }, at, audit)
}

const findTeamName = query<{ teamId: string }, { name: string }>(
  'find-team-name',
  'select name from teams where id = :teamId',
)

/** Tells the person that a token was made for them. Of those that another token makes they are told once a day: a program may make many. */
async function tellOfToken(
  db: Queryable,
  services: Pick<Services, 'config' | 'now'> & { userAgent: string; auditNetwork: string },
  { teamId, loginId, tokenId, tokenName }: Caller,
  { name }: CreateToken,
): Promise<void> {
  if (loginId === null || !services.config.mail) return
  const [team] = await findTeamName(db, { teamId })
  const made = { name, team: team!.name }
  const origin = { userAgent: services.userAgent, network: services.auditNetwork }
  const day = services.now().toISOString().slice(0, 10)
  await tellLogin(
    db,
    services,
    loginId,
    tokenId === null
      ? { notice: { kind: 'token', ...made }, origin }
      : {
          notice: { kind: 'token_of_token', ...made, maker: tokenName ?? '' },
          origin,
          key: `token/${tokenId}/${day}`,
        },
  )
}
