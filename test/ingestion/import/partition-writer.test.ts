import { expect, test } from 'vitest'
import type { EnrichedHit } from '../../../src/ingestion/hit.ts'
import { createPartitionWriter } from '../../../src/ingestion/import/partition-writer.ts'
import { restore } from '../../../src/ingestion/import/restored-hit.ts'
import type { Stored } from '../../../src/ingestion/store/store.ts'
import { enrichedHit } from '../../support/hits.ts'

const AT = Date.UTC(2026, 0, 1)
const SITE = { siteNo: 1, id: '00000000-0000-4000-8000-000000000001', key: '' }

test('partition writer: engagement that is tried again comes after all hits of its time, with the number of its line', async () => {
  const engaged = { ...enrichedHit(SITE, AT, { type: 'engagement' }), line: 7 }
  const stored: EnrichedHit[][] = []
  const writer = createPartitionWriter({
    batchHits: 1,
    async store(hits) {
      stored.push(hits)
      const orphanEngagement = stored.length === 1 ? hits : []
      return { stored: 0, repeated: 0, orphanEngagement } as unknown as Stored
    },
    onStored() {},
  })
  await writer.add(engaged, 10)
  await writer.add({ ...enrichedHit(SITE, AT), line: 8 }, 10)
  await writer.finish()
  expect(stored[1]!.map(({ line, comesLast }) => [line, comesLast])).toEqual([
    [7, true],
    [8, undefined],
  ])
})

test('restored error: a message of 5,000 characters may be cut; one with as many UTF-16 units and fewer characters is whole', () => {
  const errorOf = (message: string) => {
    const hit = enrichedHit(SITE, AT, { type: 'error', name: 'error', error: { message } })
    const { errorId } = hit
    const restored = restore({ ...hit }, { id: hit.id, errorId: SITE.id } as never, false)
    return restored.errorId === errorId ? 'whole' : 'cut'
  }
  const messages = ['a'.repeat(4_999), 'a'.repeat(5_000), '😀'.repeat(2_500), '😀'.repeat(5_000)]
  expect(messages.map(errorOf)).toEqual(['whole', 'cut', 'whole', 'cut'])
})
