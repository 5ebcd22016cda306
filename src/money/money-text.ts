/**
 * Returns an amount with the code of its currency, for texts without a language of their own: `1234.50 EUR`.
 * @param amountMinor minor units
 */
export function moneyText(amountMinor: number, currency: string): string {
  const options = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
  const digits = options.maximumFractionDigits ?? 2
  return `${(amountMinor / 10 ** digits).toFixed(digits)} ${currency}`
}
