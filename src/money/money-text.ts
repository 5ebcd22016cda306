/**
 * Returns an amount with the code of its currency, for texts without a language of their own: `1234.50 EUR`.
 * @param amountMinor minor units
 */
export function moneyText(amountMinor: number, currency: string): string {
  const options = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
  const digits = options.maximumFractionDigits ?? 2
  // By its digits: a fraction of a large amount is no exact number.
  const text = String(Math.abs(Math.round(amountMinor))).padStart(digits + 1, '0')
  const [whole, fraction] = [text.slice(0, text.length - digits), text.slice(text.length - digits)]
  return `${amountMinor < 0 ? '-' : ''}${whole}${fraction && `.${fraction}`} ${currency}`
}
