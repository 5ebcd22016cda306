-- The bytes of `moments` and `times`; null where there are more moments than the parameter `mostMoments`.
case when hits <= (select "mostMoments" from params) then array_send(moments) end as moments,
case when hits <= (select "mostMoments" from params) then array_send(times) end as times
