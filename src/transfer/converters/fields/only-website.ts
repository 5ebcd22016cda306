import { refusal } from '../../read/limits.ts'
import { plainText } from './texts.ts'

/** Keeps the rows of one website: of the one that was asked for, else of the only one in the file. */
export class OnlyWebsite {
  readonly #column: string
  readonly #chosen: string | undefined
  #found: string | undefined

  /** @param column names the field that tells websites apart, for the message */
  constructor(column: string, chosen: string | undefined) {
    this.#column = column
    this.#chosen = chosen
  }

  /**
   * Tells whether a row is of another website. Rows that name none are not.
   * @throws AppError `validation_failed` when there are several and none was asked for
   */
  isOther(value: unknown): boolean {
    const website = plainText(value)
    if (website === undefined) return false
    if (this.#chosen !== undefined) return website !== this.#chosen
    this.#found ??= website
    if (website === this.#found) return false
    throw refusal(
      `The file holds several websites, such as ${this.#found} and ${website} (${this.#column}). Name the one to import.`,
    )
  }
}
