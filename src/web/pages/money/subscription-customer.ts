interface Subscription {
  subscription_id: string
  customer_id: string | null
  name: string | null
  email: string | null
}

/** Returns the customer of a subscription: one without a customer at the processor is a customer of its own. */
export const customerOf = ({ subscription_id: subscription, customer_id, name, email }: Subscription) => ({
  id: customer_id ? `c:${customer_id}` : `s:${subscription}`,
  name,
  email,
  other: customer_id ?? subscription,
})
