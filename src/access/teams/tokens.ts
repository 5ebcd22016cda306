import { validate as isUuid } from 'uuid'
import type { Db, Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import type { Audit } from '../audit/audit.ts'
import { type Caller, isManager } from './caller.ts'
import { lockTeam } from './lock-team.ts'
import { lockTokensOf, presentToken, TOKEN_COLUMNS, type TokenRow } from './token-rows.ts'
import { requireTokenScope } from './token-rules.ts'
import type { RenameToken, RevokeToken, TokenInfo } from './token-schema.ts'

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
