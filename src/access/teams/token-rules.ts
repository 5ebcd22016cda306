import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import type { Caller, Role, Scope } from './caller.ts'

// What a token makes is never wider nor longer than the token, and ends with it: docs/access.md "What a token makes".

/** @throws AppError `forbidden` for a token without the scope; a browser session has all of them */
export function requireTokenScope({ scopes }: Pick<Caller, 'scopes'>, scope: Scope): void {
  if (scopes.includes(scope) || (scope === 'ingest' && scopes.includes('write'))) return
  throw new AppError('forbidden', `The token does not have the scope ${scope}`)
}

/**
 * Checks that a token may do all that a person with the role may do: who gets a role gets all of its scopes.
 * @throws AppError `forbidden`
 */
export function requireScopesOfRole(caller: Pick<Caller, 'scopes'>, role: Role): void {
  requireTokenScope(caller, 'read')
  if (role !== 'viewer') requireTokenScope(caller, 'write')
}

/** Returns the earlier of a time and the end of the caller's token. */
export const noLaterThanToken = ({ expiresAt }: Pick<Caller, 'expiresAt'>, at: Date): Date =>
  expiresAt && expiresAt < at ? expiresAt : at

/**
 * Returns when something ends that a token makes: as wished, or with the token when nothing is wished.
 * @throws AppError `validation_failed` for a wish that is later than the end of the token
 */
export function endWithToken({ expiresAt }: Pick<Caller, 'expiresAt'>, wished: Date | null): Date | null {
  if (!expiresAt || !wished) return wished ?? expiresAt
  if (wished > expiresAt) {
    throw invalidField('expires_at', 'expires_at must not be later than that of the token you use')
  }
  return wished
}

/** @throws AppError `forbidden` for a token that ends: what is made now would outlive it */
export function requireNoEnd({ expiresAt }: Pick<Caller, 'expiresAt'>, what: string): void {
  if (expiresAt === null) return
  throw new AppError('forbidden', `${what} has no end, so that a token that ends does not make it`)
}

/** A revocation waits until the transaction ends, and then deletes what it made. */
const lockToken = query<{ id: string }, { id: string }>(
  'lock-token',
  'select id from tokens where id = :id for key share',
)

/**
 * Makes sure that the caller's token is not revoked before the transaction ends. Call it after `audit`, which locks the user: a revocation locks
 * the user before the token.
 * @throws AppError `unauthenticated`
 */
export async function keepToken(
  transaction: Transaction,
  { tokenId }: Pick<Caller, 'tokenId'>,
): Promise<void> {
  if (tokenId === null) return
  const [token] = await lockToken(transaction, { id: tokenId })
  if (!token) throw new AppError('unauthenticated', 'The token is not valid')
}

/**
 * Checks that a token changes only what it made: everything else outlives it. A browser session changes everything.
 * @throws AppError `forbidden`
 */
export function requireMaker(
  { tokenId }: Pick<Caller, 'tokenId'>,
  made: { tokenId: string | null },
  what: string,
): void {
  if (tokenId === null || tokenId === made.tokenId) return
  throw new AppError(
    'forbidden',
    `A token changes only ${what} that it made: sign in with a browser to change others`,
  )
}
