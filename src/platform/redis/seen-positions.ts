import type { Position, SeenPositions } from '../db/wal-position.ts'
import type { RedisClient } from './client.ts'
import { answered } from './connect-redis.ts'

/** Keeps the higher one. ARGV: position, lifetime in milliseconds. Numbers of Lua are exact up to 2^53: 8 PiB of log. */
const RAISE = `
local seen = tonumber(redis.call('get', KEYS[1]) or 0)
if tonumber(ARGV[1]) > seen then redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2]) end`

/**
 * Keeps the positions in Redis, where all processes find them.
 * @param keptMs a standby that is less behind than this has replayed what was seen before
 */
export const createSeenPositions = (redis: RedisClient, keptMs: number): SeenPositions => ({
  of: async siteNo => BigInt((await answered(redis.get(keyOf(siteNo)))) ?? 0),
  raise: async (siteNo: number, position: Position) =>
    void (await answered(redis.eval(RAISE, 1, keyOf(siteNo), String(position), keptMs))),
})

const keyOf = (siteNo: number) => `seen:${siteNo}`
