create view sessions_15m_refreshed as select * from sessions_15m_counted;
