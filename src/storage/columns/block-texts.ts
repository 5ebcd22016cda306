import { VITALS_OF_PHASES, VITALS_OF_TARGETS } from '../../platform/dimensions/vitals.ts'
import { type Block, HIT_DIMENSIONS, type Numbers, numbersOf, SESSION_DIMENSIONS } from './block.ts'
import { fill } from './fill.ts'
import { type Domain, domainOf, type SiteTexts } from './texts.ts'

/** The texts of a block by domain, each in the order of its numbers. */
export type BlockTexts = Partial<Record<Domain, string[]>>

/** Returns a block whose texts have numbers of its own, and these texts. */
export function withOwnTexts(block: Block, texts: SiteTexts): { block: Block; texts: BlockTexts } {
  const own: BlockTexts = {}
  const numbers: Partial<Record<Domain, Int32Array>> = {}
  const numbered = changeTexts(block, (domain, column) => {
    const known = texts.of(domain)
    own[domain] ??= []
    const list = own[domain]
    // 0: none yet.
    numbers[domain] ??= new Int32Array(known.size)
    const numberOf = numbers[domain]
    return numbersOf(
      fill(new Int32Array(column.length), index => {
        const number = column[index]!
        if (numberOf[number] === 0) numberOf[number] = list.push(known.text(number))
        return numberOf[number]! - 1
      }),
    )
  })
  return { block: numbered, texts: own }
}

/** Returns the block with the numbers that its texts have in a site. */
export function withSiteTexts(block: Block, own: BlockTexts, texts: SiteTexts): Block {
  const numbers: Partial<Record<Domain, Int32Array>> = {}
  return changeTexts(block, (domain, column) => {
    const known = texts.of(domain)
    numbers[domain] ??= Int32Array.from(own[domain]!, text => known.numberOf(text))
    const numberOf = numbers[domain]
    return numbersOf(fill(new Int32Array(column.length), index => numberOf[column[index]!]!))
  })
}

type Change = (domain: Domain, column: Numbers) => Numbers

/** Returns a block with other numbers of its texts. */
function changeTexts({ isService, sessions, hits, vitals }: Block, change: Change): Block {
  const columnsOf = <Name extends string>(
    names: readonly Name[],
    columns: Partial<Record<Name, Numbers>>,
    domain: (name: Name) => Domain,
  ) => Object.fromEntries(names.map(name => [name, change(domain(name), columns[name]!)])) as never
  return {
    isService,
    sessions: { ...sessions, values: columnsOf(SESSION_DIMENSIONS, sessions.values, domainOf) },
    hits: {
      ...hits,
      values: columnsOf(HIT_DIMENSIONS, hits.values, domainOf),
      revenue: change('amount', hits.revenue),
      currency: change('currency', hits.currency),
      error: change('error', hits.error),
      propertyKeys: change('property_key', hits.propertyKeys),
      propertyValues: change('property_value', hits.propertyValues),
    },
    vitals: {
      ...vitals,
      targets: columnsOf(VITALS_OF_TARGETS, vitals.targets, () => 'vital_target'),
      phases: columnsOf(VITALS_OF_PHASES, vitals.phases, () => 'vital_phase'),
    },
  }
}
