-- Condition for rows with columns of `customers`: the first visit passes all of :filters, `[{"dimension": …, "operator": …, "values": […]}]`.
not exists (
  select
  from (
    select
      operator in ('is_not', 'does_not_contain') as is_negative,
      case
        when operator in ('is', 'is_not') then wanted ? given
        else exists (
          select
          from jsonb_array_elements_text(wanted) as listed (part)
          where case operator
            when 'starts_with' then starts_with(given, part)
            when 'ends_with' then right(given, length(part)) = part
            else strpos(given, part) > 0
          end
        )
      end as is_found
    from (
      select operator, "values" as wanted, coalesce(case dimension {first_visit_choice} end, '') as given
      from jsonb_to_recordset(:filters::text::jsonb) as filter (dimension text, operator text, "values" jsonb)
    ) as compared
  ) as tested
  where is_found = is_negative
)
