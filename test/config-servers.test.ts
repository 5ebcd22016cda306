import { expect, test } from 'vitest'
import { databaseAddress } from '../src/config-database.ts'
import { redisAddress } from '../src/config-redis.ts'

const NO_LOGIN = { username: undefined, password: undefined, tls: false }

test.each<[string, object]>([
  ['redis://:p@h:1/2', { kind: 'server', url: 'redis://:p@h:1/2' }],
  ['unix:///run/redis.sock', { kind: 'socket', path: '/run/redis.sock' }],
  [
    'redis+cluster://a,b:7000,[::1]:7001',
    {
      kind: 'cluster',
      nodes: [
        { host: 'a', port: 6379 },
        { host: 'b', port: 7000 },
        { host: '::1', port: 7001 },
      ],
      ...NO_LOGIN,
    },
  ],
  [
    'rediss+cluster://u:p%40ss@a',
    { kind: 'cluster', nodes: [{ host: 'a', port: 6379 }], username: 'u', password: 'p@ss', tls: true },
  ],
  [
    'redis+sentinel://:secret@a,b:26380/hits/3',
    {
      kind: 'sentinel',
      sentinels: [
        { host: 'a', port: 26_379 },
        { host: 'b', port: 26_380 },
      ],
      master: 'hits',
      db: 3,
      username: undefined,
      password: 'secret',
      tls: false,
    },
  ],
])('REDIS_URL: %s', (url, address) => {
  expect(redisAddress(url)).toEqual(address)
})

test('REDIS_URL: another text is refused without being shown', () => {
  expect(() => redisAddress('redis+sentinel://:secret@a')).toThrow(
    /^REDIS_URL is \(hidden\); allowed is a URL/,
  )
})

test.each([
  ['postgres://u:p@a:1/d?host=/run/postgresql', ['postgres://u:p@a:1/d?host=/run/postgresql']],
  [
    'postgres://u:p@a:1,b,[::1]:2/d?sslmode=require&target_session_attrs=read-write',
    [
      'postgres://u:p@a:1/d?sslmode=require',
      'postgres://u:p@b/d?sslmode=require',
      'postgres://u:p@[::1]:2/d?sslmode=require',
    ],
  ],
])('DATABASE_URL: %s', (url, urls) => {
  expect(databaseAddress(url).urls).toEqual(urls)
})

test.each([
  ['postgres://u@a/d?pgbouncer=true', { urls: ['postgres://u@a/d'], isPgBouncer: true }],
  ['postgres://u@a/d', { urls: ['postgres://u@a/d'], isPgBouncer: false }],
])('DATABASE_URL: %s says whether PgBouncer stands in front', (url, address) => {
  expect(databaseAddress(url)).toEqual(address)
})

test('DATABASE_URL: any other value of pgbouncer is refused', () => {
  expect(() => databaseAddress('postgres://u@a/d?pgbouncer=session')).toThrow(/^DATABASE_URL is \(hidden\)/)
})
