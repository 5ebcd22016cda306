import { expect } from 'vitest'
import { LATE_REDIS } from '../support/late-redis.ts'
import type { Load } from '../support/load.ts'

/** Checks that each hit was accepted; only a late Redis is no failure. */
export function expectNoneRefused({ refused, unavailable }: Load): void {
  expect([...refused.keys()].filter(outcome => outcome !== '503')).toEqual([])
  expect([...unavailable.keys()].filter(message => message !== LATE_REDIS)).toEqual([])
}
