import { expect, test } from 'vitest'
import { databaseAddress } from '../../../src/platform/config/database-address.ts'
import { redisAddress } from '../../../src/platform/config/redis-address.ts'

const NO_LOGIN = { username: undefined, password: undefined, tls: false }
const at = (host: string, port: number) => ({ host, port })

test.each<[string, object]>([
  ['redis://:p@h:1/2', { kind: 'server', url: 'redis://:p@h:1/2' }],
  ['unix:///run/redis.sock', { kind: 'socket', path: '/run/redis.sock' }],
  [
    'redis+cluster://a,b:7000,[::1]:7001',
    { kind: 'cluster', nodes: [at('a', 6379), at('b', 7000), at('::1', 7001)], ...NO_LOGIN },
  ],
  [
    'rediss+cluster://u:p%40ss@a',
    { kind: 'cluster', nodes: [at('a', 6379)], username: 'u', password: 'p@ss', tls: true },
  ],
  [
    'redis+sentinel://:secret@a,b:26380/hits/3',
    {
      kind: 'sentinel',
      sentinels: [at('a', 26_379), at('b', 26_380)],
      master: 'hits',
      db: 3,
      ...NO_LOGIN,
      password: 'secret',
    },
  ],
])('REDIS_URL: %s', (url, address) => {
  expect(redisAddress(url)).toEqual(address)
})

const LOCAL = 'postgres://u:p@a:1/d?host=/run/postgresql'
const THREE = ['u:p@a:1', 'u:p@b', 'u:p@[::1]:2'].map(server => `postgres://${server}/d?sslmode=require`)

test.each([
  [LOCAL, { urls: [LOCAL], isPgBouncer: false }],
  ['postgres://u@a/d?pgbouncer=true', { urls: ['postgres://u@a/d'], isPgBouncer: true }],
  [
    'postgres://u:p@a:1,b,[::1]:2/d?sslmode=require&target_session_attrs=read-write',
    { urls: THREE, isPgBouncer: false },
  ],
])('DATABASE_URL: %s', (url, address) => {
  expect(databaseAddress(url)).toEqual(address)
})

test('REDIS_URL and DATABASE_URL: another text is refused without being shown', () => {
  const allowed = /^REDIS_URL is \(hidden\); allowed is a URL/
  expect(() => redisAddress('redis+sentinel://:secret@a')).toThrow(allowed)
  expect(() => databaseAddress('postgres://u@a/d?pgbouncer=session')).toThrow(/^DATABASE_URL is \(hidden\)/)
})
