money.at,
money.id::text as id,
money.subscription_id as "subscriptionId",
money.kind,
money.session_no as "sessionNo",
money.session_at as "sessionAt",
money.amount_minor::text as amount
