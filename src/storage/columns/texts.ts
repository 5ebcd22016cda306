import type { Dimension } from '../../platform/dimensions/dimensions.ts'

/** What the texts of a column are drawn from: columns of one domain share their numbers. */
export type Domain =
  | Exclude<Dimension, 'entry_path' | 'exit_path'>
  | 'error'
  | 'currency'
  | 'amount'
  | 'customer'
  | 'subscription'
  | 'mrr_change'
  | 'property_key'
  | 'property_value'
  | 'vital_target'
  | 'vital_phase'

/** Returns the domain of a dimension: entry and exit pages are paths. */
export const domainOf = (dimension: Dimension): Domain =>
  dimension === 'entry_path' || dimension === 'exit_path' ? 'path' : dimension

/** Texts by number, in the order in which they came; the empty text is 0. */
export class Texts {
  readonly #texts = ['']
  readonly #numbers = new Map([['', 0]])
  #characters = 0

  get size(): number {
    return this.#texts.length
  }

  /** Returns the number of a text, a new one for a text that has none yet. */
  numberOf(text: string): number {
    let number = this.#numbers.get(text)
    if (number === undefined) {
      number = this.#texts.length
      this.#texts.push(text)
      this.#characters += text.length
      this.#numbers.set(text, number)
    }
    return number
  }

  /** Returns the number of a text, undefined where it does not occur. */
  find(text: string): number | undefined {
    return this.#numbers.get(text)
  }

  text(number: number): string {
    return this.#texts[number]!
  }

  all(): readonly string[] {
    return this.#texts
  }

  /** About how much memory they take: of each text its characters, its entry in the list, and that in the table. */
  get bytes(): number {
    return this.#characters + 80 * this.size
  }
}

/** The texts of a site, by domain. */
export class SiteTexts {
  readonly #domains = new Map<Domain, Texts>()

  of(domain: Domain): Texts {
    let texts = this.#domains.get(domain)
    if (!texts) {
      texts = new Texts()
      this.#domains.set(domain, texts)
    }
    return texts
  }

  get bytes(): number {
    return [...this.#domains.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Returns the texts of a dimension. */
  ofDimension(dimension: Dimension): Texts {
    return this.of(domainOf(dimension))
  }
}
