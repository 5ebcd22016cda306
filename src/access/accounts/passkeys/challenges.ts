import { createHash, randomBytes } from 'node:crypto'
import type { RedisClient } from '../../../platform/redis/client.ts'
import { answered } from '../../../platform/redis/connect-redis.ts'

const LIFETIME_SECONDS = 300
export const CHALLENGE_MS = LIFETIME_SECONDS * 1000

/** What a challenge is for: signing in, or adding a passkey or a proof in one session. A challenge for one is none for another. */
export type Purpose = 'login' | { sessionId: string; is: 'add' | 'proof' }

/** Only the hash is kept: a copy of Redis tells no challenge. */
function keyOf(purpose: Purpose, challenge: string): string {
  const whose = purpose === 'login' ? purpose : `${purpose.is}:${purpose.sessionId}`
  return `passkey:${whose}:${createHash('sha256').update(challenge).digest('base64url')}`
}

/** Returns a new challenge of 32 random bytes, which can be taken once within five minutes. */
export async function newChallenge(redis: RedisClient, purpose: Purpose): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(randomBytes(32))
  const key = keyOf(purpose, Buffer.from(bytes).toString('base64url'))
  await answered(redis.set(key, '1', 'EX', LIFETIME_SECONDS))
  return bytes
}

/** Takes the challenge that the client data of an authenticator name. @returns it; undefined when it is none, or was taken before */
export async function takeChallenge(
  redis: RedisClient,
  purpose: Purpose,
  clientDataJson: string,
): Promise<string | undefined> {
  const challenge = challengeIn(clientDataJson)
  if (challenge === undefined) return undefined
  return (await answered(redis.getdel(keyOf(purpose, challenge)))) === null ? undefined : challenge
}

function challengeIn(clientDataJson: string): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString()) as {
      challenge?: unknown
    }
    return typeof challenge === 'string' ? challenge : undefined
  } catch {
    return undefined
  }
}
