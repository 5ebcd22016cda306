import { validate as isUuid } from 'uuid'
import type { Db, Queryable, Transaction } from '../../platform/db/connect.ts'
import { inTransaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { tellLogin } from '../accounts/notices/notices.ts'
import type { Audit } from '../audit/audit.ts'
import { lockTeam } from './lock-team.ts'
import {
  type Caller,
  type CreatedToken,
  type CreateToken,
  DEFAULT_SCOPES,
  isManager,
  type RenameToken,
  type RevokeToken,
  SCOPES,
  type Scope,
  type TokenInfo,
} from './schema.ts'
import { requireTeamSites } from './site-limits.ts'
import { generateToken, hashToken } from './token-format.ts'
import { requireTokenScope } from './token-rules.ts'

interface TokenRow
  extends Pick<TokenInfo, 'id' | 'name' | 'site_ids' | 'scopes' | 'created_by' | 'user_id' | 'user_email'> {
  expires_at: Date | null
  last_used_at: Date | null
  created_at: Date
}

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

const TOKEN_COLUMNS = `
  tokens.id, tokens.name, tokens.site_ids, tokens.scopes, tokens.expires_at, tokens.created_by, tokens.last_used_at,
  tokens.created_at, tokens.user_id,
  (
    select coalesce(logins.email, users.email)
    from users
    left join logins on logins.id = users.login_id
    where users.id = tokens.user_id
  ) as user_email`

interface Visible {
  teamId: string
  /** Only tokens of this user; null for all users. */
  ownerId: string | null
  /** Only tokens limited to some of these sites; null for all tokens. */
  siteIds: string[] | null
}
const IS_VISIBLE = `
  team_id = :teamId
  and (:ownerId::uuid is null or user_id = :ownerId)
  and (:siteIds::uuid[] is null or site_ids <@ :siteIds)`

/**
 * Makes changes to the tokens of a user run one after the other, so that the next statement sees all of them. Not `for update`: it
 * would also block transactions that only refer to the user.
 */
const lockUser = query<{ teamId: string; userId: string }, { id: string }>(
  'lock-user',
  'select id from users where team_id = :teamId and id = :userId for no key update',
)

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

const selectTokens = query<Visible, TokenRow>(
  'list-tokens',
  `select ${TOKEN_COLUMNS} from tokens where ${IS_VISIBLE} order by created_at desc, id`,
)

/** @throws AppError `forbidden` for a token of another user, when the caller's token does not have the scope `admin` */
function requireOwnToken(caller: Caller, userId: string): void {
  if (userId !== caller.userId) requireTokenScope(caller, 'admin')
}

const findTokenUser = query<Visible & { id: string }, { userId: string }>(
  'find-token-user',
  `select user_id as "userId" from tokens where ${IS_VISIBLE} and id = :id`,
)

/**
 * Deletes a visible token. With `cascade`, also deletes those visible tokens that were made through it; without, removes it from
 * `made_through` of all tokens that were.
 */
const deleteToken = query<Visible & { id: string; cascade: boolean }, { id: string; name: string }>(
  'delete-token',
  `with gone as (
    delete from tokens
    where ${IS_VISIBLE} and (id = :id or (:cascade::boolean and made_through @> array[:id::uuid]))
    returning id, user_id, name
  ),
  orphaned as (
    update tokens
    set made_through = array_remove(tokens.made_through, gone.id)
    from gone
    where not :cascade::boolean and tokens.user_id = gone.user_id and tokens.made_through @> array[gone.id]
  )
  select id, name from gone`,
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

/** Prevents creation and revocation of the user's tokens until the transaction ends. */
async function lockTokensOf(transaction: Transaction, teamId: string, userId: string): Promise<void> {
  const [user] = await lockUser(transaction, { teamId, userId })
  if (!user) throw new AppError('not_found', 'No such user in the team')
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

const updateName = query<Visible & { id: string; name: string }, TokenRow>(
  'rename-token',
  `update tokens set name = :name where ${IS_VISIBLE} and id = :id returning ${TOKEN_COLUMNS}`,
)

/** Renames a token. @throws AppError `not_found` for every token that the caller cannot list; `forbidden` for that of another without `admin` */
export async function renameToken(
  { db, audit }: { db: Db; audit: Audit },
  caller: Caller,
  { id, name }: RenameToken,
): Promise<TokenInfo> {
  return db.begin(async transaction => {
    const seen = { ...visibleTo(caller), id, name }
    const [row] = isUuid(id) ? await updateName(transaction, seen) : []
    if (!row) throw new AppError('not_found', 'No such token')
    requireOwnToken(caller, row.user_id)
    await audit(transaction, {
      action: 'token.rename',
      object: { type: 'token', id: row.id },
      details: { name },
    })
    return presentToken(row)
  })
}

/** Returns the tokens that the caller may see, newest first: the team's for owners and admins, else one's own, within the caller's sites. */
export async function listTokens(db: Queryable, caller: Caller): Promise<TokenInfo[]> {
  const rows = await selectTokens(db, visibleTo(caller))
  return rows.map(presentToken)
}

/**
 * Revokes a token, which may be the caller's own; with `cascade` also every token that was created through it. Those belong
 * to the same user and never have wider access. Invitations, shares and webhooks that a revoked token made end with it.
 * @throws AppError `not_found` for every token that the caller cannot list; `forbidden` for that of another without `admin`
 */
export async function revokeToken(
  { db, audit }: { db: Db; audit: Audit },
  caller: Caller,
  { id, cascade }: RevokeToken,
): Promise<void> {
  const seen = { ...visibleTo(caller), id }
  const [token] = isUuid(id) ? await findTokenUser(db, seen) : []
  if (!token) throw new AppError('not_found', 'No such token')
  requireOwnToken(caller, token.userId)
  await db.begin(async transaction => {
    await lockTeam(transaction, caller.teamId)
    // The lock orders this against concurrent creation: a new token is visible to this delete, or is refused afterwards.
    await lockTokensOf(transaction, caller.teamId, token.userId)
    const gone = await deleteToken(transaction, { ...seen, cascade })
    if (gone.length === 0) throw new AppError('not_found', 'No such token')
    for (const each of gone) {
      await audit(transaction, {
        action: 'token.revoke',
        object: { type: 'token', id: each.id },
        details: { name: each.name },
      })
    }
  })
}

/** The sites of a user limit what a token reads, not which of their own tokens they see: these may have no limit of their own. */
const visibleTo = ({ teamId, userId, role, tokenSiteIds }: Caller): Visible => ({
  teamId,
  ownerId: isManager(role) ? null : userId,
  siteIds: tokenSiteIds,
})

function presentToken(row: TokenRow): TokenInfo {
  return {
    ...row,
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  }
}
