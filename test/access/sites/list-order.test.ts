import { expect, test } from 'vitest'
import { inOrder, matchesSearch } from '../../../src/access/sites/list-sites.ts'

const sites = [
  { domain: 'b.com', visitors: 5, is_pinned: false },
  { domain: 'a.com', visitors: 5, is_pinned: false },
  { domain: 'c.com', visitors: 9, is_pinned: false },
  { domain: 'z.com', visitors: 0, is_pinned: true },
  { domain: 'y.com', visitors: 1, is_pinned: true },
]

test.each([
  ['most_visitors', 'y z c a b'],
  ['fewest_visitors', 'z y a b c'],
  ['domain_asc', 'y z a b c'],
  ['domain_desc', 'z y c b a'],
] as const)('list of sites: %s puts pinned sites first and sorts ties by domain', (sort, order) => {
  const sorted = sites.toSorted(inOrder(sort))
  expect(sorted.map(site => site.domain[0]).join(' ')).toBe(order)
})

test.each([
  ['example.com', '', true],
  ['example.com', 'AMPLE.', true],
  ['example.com', ' example ', true],
  ['example.com', 'e_ample', false],
  ['example.com', '%', false],
  ['example.com', '\\', false],
  ['example.com', 'example.com.', false],
  ['xn--bcher-kva.de', 'BÜCH', true],
  ['xn--bcher-kva.de', 'xn--bch', true],
])('list of sites: the domain %s matches the search %j: %s', (domain, search, found) => {
  expect(matchesSearch(domain, search)).toBe(found)
})
