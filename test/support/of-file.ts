import { afterAll, beforeAll } from 'vitest'

/** Opens what the tests of a file share before the first of them, and closes it after the last. Its fields are there from then on. */
export function ofFile<Opened extends object>(open: () => Promise<Opened>): Opened {
  const opened: Opened & { close?(): unknown } = Object.create(null)
  beforeAll(async () => {
    Object.assign(opened, await open())
  })
  afterAll(() => opened.close?.())
  return opened
}
