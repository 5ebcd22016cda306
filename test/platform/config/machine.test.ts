import { expect, test } from 'vitest'
import { coresWithin, defaultsOf } from '../../../src/platform/config/machine.ts'

test.each([
  ['max 100000', 8, 8],
  ['', 8, 8],
  ['150000 100000', 8, 1],
  ['50000 100000', 8, 1],
  ['400000 100000', 8, 4],
  ['800000 100000', 2, 2],
])('machine: the quota %j of a container with %i cores leaves %i', (quota, cores, expected) => {
  expect(coresWithin(cores, quota)).toBe(expected)
})

test.each([
  [
    'two cores and 4 GiB',
    { cores: 2, bytes: 4 * 2 ** 30 },
    { isSmall: false, httpWorkers: 2, columnsMib: 512 },
  ],
  ['one core', { cores: 1, bytes: 4 * 2 ** 30 }, { isSmall: true, httpWorkers: 1, columnsMib: 512 }],
  ['little memory', { cores: 4, bytes: 2 ** 30 }, { isSmall: true, httpWorkers: 1, columnsMib: 128 }],
  ['very little memory', { cores: 4, bytes: 2 ** 27 }, { isSmall: true, httpWorkers: 1, columnsMib: 16 }],
])('machine: defaults for %s', (_, machine, expected) => {
  expect(defaultsOf(machine)).toEqual(expected)
})
