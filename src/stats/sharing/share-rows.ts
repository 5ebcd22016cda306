import { query } from '../../platform/db/query.ts'

/** Database row of a share. */
export interface ShareRow {
  id: string
  siteNo: number
  name: string
  sections: string[]
  /** `ShareFilters` as they were stored. */
  filters: object
  passwordHash: string | null
  mayExport: boolean
  expiresAt: Date | null
  lastUsedAt: Date | null
  createdAt: Date
  createdBy: string | null
  /** Token that made it; null for a browser. */
  tokenId: string | null
  /** When that token ends. */
  tokenExpiresAt: Date | null
}

const SHARE_COLUMNS = `
  shares.id, shares.site_no as "siteNo", shares.name, shares.sections, shares.filters, shares.may_export as "mayExport",
  shares.password_hash as "passwordHash", shares.expires_at as "expiresAt", shares.last_used_at as "lastUsedAt",
  shares.created_at as "createdAt",
  (
    select coalesce(logins.email, users.email)
    from users left join logins on logins.id = users.login_id
    where users.id = shares.created_by
  ) as "createdBy",
  shares.token_id as "tokenId", (select tokens.expires_at from tokens where tokens.id = shares.token_id) as "tokenExpiresAt"`

export const selectShares = query<{ siteNo: number }, ShareRow>(
  'list-shares',
  `select ${SHARE_COLUMNS} from shares where site_no = :siteNo order by created_at desc, id`,
)

export const findShareByHash = query<{ hash: Uint8Array }, ShareRow>(
  'find-share-by-hash',
  `select ${SHARE_COLUMNS} from shares where hash = :hash`,
)

export const findShareById = query<{ id: string }, ShareRow>(
  'find-share-by-id',
  `select ${SHARE_COLUMNS} from shares where id = :id`,
)

/** Fields of a share that can be changed. */
export interface ShareFields {
  name: string
  sections: readonly string[]
  /** JSON as text. */
  filters: string
  passwordHash: string | null
  mayExport: boolean
  expiresAt: Date | null
}

export const insertShare = query<
  ShareFields & {
    id: string
    siteNo: number
    hash: Uint8Array
    userId: string
    tokenId: string | null
    now: Date
  },
  ShareRow
>(
  'insert-share',
  `insert into shares
    (id, site_no, name, hash, sections, filters, password_hash, may_export, expires_at, created_by, token_id, created_at)
  values (
    :id, :siteNo, :name, :hash, :sections, (:filters::text)::jsonb, :passwordHash, :mayExport, :expiresAt, :userId,
    :tokenId, :now
  )
  returning ${SHARE_COLUMNS}`,
)

export const selectShare = query<{ siteNo: number; id: string }, ShareRow>(
  'select-share',
  `select ${SHARE_COLUMNS} from shares where site_no = :siteNo and id = :id`,
)

export const updateShare = query<ShareFields & { id: string }, ShareRow>(
  'update-share',
  `update shares
  set
    name = :name, sections = :sections, filters = (:filters::text)::jsonb, password_hash = :passwordHash,
    may_export = :mayExport, expires_at = :expiresAt
  where id = :id
  returning ${SHARE_COLUMNS}`,
)

export const renewShareSecret = query<{ id: string; hash: Uint8Array }, ShareRow>(
  'renew-share-secret',
  `update shares set hash = :hash, token_id = null where id = :id returning ${SHARE_COLUMNS}`,
)

export const deleteShare = query<{ id: string }, { id: string }>(
  'delete-share',
  'delete from shares where id = :id returning id',
)

export const countLiveShares = query<
  { siteNo: number; now: Date; exceptId: string | null },
  { count: number }
>(
  'count-live-shares',
  `select count(*)::int as count
  from shares
  where
    site_no = :siteNo
    and (expires_at is null or expires_at > :now::timestamptz)
    and (:exceptId::uuid is null or id <> :exceptId)`,
)

/** Deletes the expired shares of a site, except the `kept` that expired last. */
export const deleteExpiredShares = query<{ siteNo: number; now: Date; kept: number }>(
  'delete-expired-shares',
  `delete from shares
  where
    id in (
      select id
      from shares
      where site_no = :siteNo and expires_at <= :now::timestamptz
      order by expires_at desc, id
      offset :kept
    )`,
)

export const touchShare = query<{ id: string; now: Date }>(
  'touch-share',
  `update shares
  set last_used_at = :now
  where id = :id and (last_used_at is null or last_used_at <= :now::timestamptz - interval '1 minute')`,
)
