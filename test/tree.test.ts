import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../src/platform/config/config.ts'
import { groupBy } from '../src/platform/lib/group-by.ts'

const CODE = ['src', 'workers', 'scripts'].flatMap(folder =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .map(file => join(folder, file))
    .filter(file => /\.(ts|tsx|js)$/.test(file) && !file.includes('/dist/')),
)

/** Lines of a file that can be read in one go. */
const MOST_LINES = 350

test('no file of code is too long to be read in one go', () => {
  const lengths = CODE.filter(file => !file.startsWith('src/web/text/')).map(file => ({
    file,
    lines: readFileSync(join(projectRoot, file), 'utf8').split('\n').length - 1,
  }))
  expect(lengths.length).toBeGreaterThan(0)
  expect(lengths.filter(({ lines }) => lines > MOST_LINES)).toEqual([])
})

/** The web interface has the same names for each page and language; a converter or a kind of file has its parts by the same names. */
const NAMED_BY_FOLDER = /^src\/(web|outgoing\/transfer)\//

test('no two files of one name stand in neighbouring folders', () => {
  const named = groupBy(
    CODE.filter(file => !NAMED_BY_FOLDER.test(file) && !/^index\./.test(basename(file))),
    file => basename(file),
  )
  const areNeighbours = (one: string, other: string) =>
    dirname(one) === dirname(other) || dirname(one) === other || one === dirname(other)
  const pairs = [...named.values()].flatMap(files =>
    files.flatMap((file, index) =>
      files
        .slice(index + 1)
        .filter(other => areNeighbours(dirname(file), dirname(other)))
        .map(other => `${file}, ${other}`),
    ),
  )
  expect(named.size).toBeGreaterThan(0)
  expect(pairs, 'say in the name what the file holds').toEqual([])
})
