import type { MailTexts } from './mail-texts.ts'

/** How much a number has changed, as the web interface shows it. */
export interface Change {
  /** `↑ 18.2%`. */
  shown: string
  /** `up 18.2%`, for the text. */
  spoken: string
  tone: 'good' | 'bad' | 'same'
}

/** @returns undefined when there is nothing to compare with */
export function changeOf(
  texts: MailTexts,
  now: number,
  before: number,
  isInverse = false,
): Change | undefined {
  if (before === 0) {
    return now === 0 ? undefined : { shown: texts.fromNothing, spoken: texts.fromNothing, tone: 'same' }
  }
  const percent = (100 * (now - before)) / Math.abs(before)
  const rough = new Intl.NumberFormat(texts.locale, { style: 'percent', maximumFractionDigits: 1 })
  const amount = rough.format(Math.abs(percent) / 100)
  if (amount === rough.format(0)) return { shown: amount, spoken: amount, tone: 'same' }
  // From ten times on, the factor says more than a percentage.
  const factor = new Intl.NumberFormat(texts.locale).format(Math.round(1 + percent / 100))
  const isFactor = percent >= 900
  const shown = isFactor ? `×${factor}` : amount
  return {
    shown: `${percent > 0 ? '↑' : '↓'} ${shown}`,
    spoken: isFactor ? shown : percent > 0 ? texts.up(shown) : texts.down(shown),
    tone: percent > 0 !== isInverse ? 'good' : 'bad',
  }
}
