import { query } from '../db/query.ts'

export interface TokenRow {
  id: string
  name: string
  siteIds: string[] | null
  expiresAt: Date | null
  createdBy: string | null
  lastUsedAt: Date | null
  createdAt: Date
}

export interface NewToken {
  teamId: string
  userId: string
  name: string
  siteIds: string[] | null
  expiresAt: Date | null
  /** Id of the token that creates this one; absent or null on the command line. */
  makerId?: string | null
}

const TOKEN_COLUMNS = `
  id,
  name,
  site_ids as "siteIds",
  expires_at as "expiresAt",
  created_by as "createdBy",
  last_used_at as "lastUsedAt",
  created_at as "createdAt"`

/** Tokens that a caller may see. */
export interface Visible {
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
export const lockUser = query<{ teamId: string; userId: string }, { id: string }>(
  'lock-user',
  'select id from users where team_id = :teamId and id = :userId for no key update',
)

export const countLiveTokens = query<{ userId: string; now: Date }, { count: number }>(
  'count-live-tokens',
  `select count(*)::int as count
  from tokens
  where user_id = :userId and (expires_at is null or expires_at > :now::timestamptz)`,
)

/** Deletes the expired tokens of a user, except the `kept` that expired last. */
export const deleteExpiredTokens = query<{ userId: string; now: Date; kept: number }>(
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
export const insertToken = query<Required<NewToken> & { hash: Uint8Array }, TokenRow>(
  'create-token',
  `insert into tokens (team_id, user_id, name, hash, site_ids, expires_at, created_by, made_through)
  select users.team_id, users.id, :name, :hash, :siteIds, :expiresAt, maker.id,
    coalesce(maker.made_through || maker.id, '{}')
  from users
  left join tokens as maker on maker.id = :makerId::uuid and maker.user_id = users.id
  where users.team_id = :teamId and users.id = :userId and (:makerId::uuid is null or maker.id is not null)
  returning ${TOKEN_COLUMNS}`,
)

/** Number of the ids that are sites of the team. */
export const countSitesAmong = query<{ teamId: string; siteIds: string[] }, { count: number }>(
  'count-sites-among',
  `select count(*)::int as count
  from sites
  where team_id = :teamId and id = any(:siteIds::uuid[]) and deleted_at is null`,
)

export const selectTokens = query<Visible, TokenRow>(
  'list-tokens',
  `select ${TOKEN_COLUMNS} from tokens where ${IS_VISIBLE} order by created_at desc, id`,
)

export const findTokenUser = query<Visible & { id: string }, { userId: string }>(
  'find-token-user',
  `select user_id as "userId" from tokens where ${IS_VISIBLE} and id = :id`,
)

/**
 * Deletes a visible token. With `cascade`, also deletes those visible tokens that were made through it; without, removes it from
 * `made_through` of all tokens that were.
 */
export const deleteToken = query<Visible & { id: string; cascade: boolean }, { id: string }>(
  'delete-token',
  `with gone as (
    delete from tokens
    where ${IS_VISIBLE} and (id = :id or (:cascade::boolean and made_through @> array[:id::uuid]))
    returning id, user_id
  ),
  orphaned as (
    update tokens
    set made_through = array_remove(tokens.made_through, gone.id)
    from gone
    where not :cascade::boolean and tokens.user_id = gone.user_id and tokens.made_through @> array[gone.id]
  )
  select id from gone`,
)
