create view hits_15m_refreshed as select * from hits_15m_counted;
create view log_15m_refreshed as select * from log_15m_counted;
