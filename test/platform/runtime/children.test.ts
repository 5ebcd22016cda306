import { expect, test } from 'vitest'
import { type Child, keepAlive } from '../../../src/platform/runtime/children.ts'
import { deferred } from '../../support/deferred.ts'
import { silentLog } from '../../support/log.ts'

interface Puppet extends Child {
  serve(): void
  end(): void
  heard: string[]
}

/** Children that a test serves and ends by hand; a stubborn one ignores `stop`. */
function nursery(options: { isStubborn?: boolean } = {}) {
  const children: Puppet[] = []
  const start = (): Child => {
    const heard: string[] = []
    const { promise: ready, resolve: serve, reject: fail } = deferred()
    const { promise: gone, resolve } = deferred()
    const end = () => {
      fail(new Error('it ended'))
      resolve()
    }
    const stop = () => {
      heard.push('stop')
      if (!options.isStubborn) end()
    }
    const kill = () => {
      heard.push('kill')
      end()
    }
    const child = { pid: children.length + 1, ready, gone, heard, serve, end, stop, kill }
    children.push(child)
    return child
  }
  return { children, keeper: keepAlive('child', start, silentLog) }
}

const count = (children: unknown[]) => () => children.length

test('children: a child that ends is restarted each time', async () => {
  const { children, keeper } = nursery()
  children[0]!.serve()
  await keeper.started
  children[0]!.end()
  await expect.poll(count(children)).toBe(2)
  children[1]!.end()
  await expect.poll(count(children)).toBe(3)
  await keeper.stop(1_000)
  expect(children).toHaveLength(3)
})

test('children: the start fails when the first child ends before it serves', async () => {
  const { children, keeper } = nursery()
  children[0]!.end()
  await expect(keeper.started).rejects.toThrow('it ended')
  await keeper.stop(1_000)
})

test('children: a stopped child is not restarted, and is killed when it does not exit', async () => {
  const { children, keeper } = nursery({ isStubborn: true })
  await keeper.stop(50)
  expect(children.map(child => child.heard)).toEqual([['stop', 'kill']])
})

test('children: a rolling restart stops the old child only when the new one serves', async () => {
  const { children, keeper } = nursery()
  const rolled = keeper.roll()
  expect(children).toHaveLength(2)
  expect(children[0]!.heard).toEqual([])
  children[1]!.serve()
  await rolled
  expect(children[0]!.heard).toEqual(['stop'])

  children[1]!.end()
  await expect.poll(count(children)).toBe(3)
  await keeper.stop(1_000)
})

test('children: when the new child of a rolling restart fails, the old one stays and is kept alive', async () => {
  const { children, keeper } = nursery()
  const rolled = keeper.roll()
  children[1]!.end()
  await expect(rolled).rejects.toThrow('it ended')
  expect(children[0]!.heard).toEqual([])
  children[0]!.end()
  await expect.poll(count(children)).toBe(3)
  await keeper.stop(1_000)
})

test('children: a stop during a rolling restart leaves no child running', async () => {
  const { children, keeper } = nursery()
  const rolled = keeper.roll()
  rolled.catch(() => {})
  await keeper.stop(1_000)
  expect(children.map(child => child.heard)).toEqual([['stop'], ['stop']])
})
