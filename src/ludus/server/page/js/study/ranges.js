// Common ranges of six-handed cash games with 100 big blinds, as a place to start from; texts "study.range.<key>" name them.

export const RANGES = [
  ["open-utg", "66+, A3s+, K8s+, Q9s+, J9s+, T9s, 98s:0.5, 76s:0.5, 65s:0.5, ATo+, KJo+, QJo:0.5"],
  ["open-hj", "55+, A2s+, K6s+, Q9s+, J9s+, T9s, 98s, 87s:0.5, 76s, 65s, ATo+, KTo+, QJo"],
  ["open-co", "33+, A2s+, K3s+, Q6s+, J8s+, T7s+, 97s+, 87s, 76s, 65s, 54s:0.5, A8o+, A5o:0.5, KTo+, QTo+, JTo"],
  ["open-btn", "22+, A2s+, K2s+, Q3s+, J5s+, T6s+, 96s+, 85s+, 75s+, 64s+, 53s+, A3o+, K8o+, Q9o+, J9o+, T8o+, 98o"],
  ["open-sb", "22+, A2s+, K2s+, Q4s+, J6s+, T6s+, 96s+, 86s+, 75s+, 65s, 54s, A4o+, K9o+, Q9o+, J9o+, T9o"],
  ["bb-call-btn",
    "22-99, TT:0.5, A2s-A9s, ATs-AJs:0.5, K2s-KTs, Q4s-QJs, J6s-JTs, T6s+, 95s+, 85s+, 74s+, 64s+, 53s+, 43s, A3o-ATo, AJo:0.5, K9o-KJo, Q9o+, J9o+, T8o+, 98o, 87o:0.5"],
  ["bb-call-utg", "22-TT, JJ:0.5, A2s-AJs, AQs:0.5, K8s-KQs, Q9s+, J9s+, T8s+, 97s+, 86s+, 75s+, 65s, 54s, AJo-AQo, KQo"],
  ["bb-3bet-btn", "TT+, 99:0.5, ATs+, A5s-A2s:0.5, KTs+, QTs+:0.5, JTs:0.5, T9s:0.5, 76s:0.4, 65s:0.4, AJo+, KQo:0.5, A8o:0.3, K9o:0.2"],
  ["btn-call-3bet", "22-JJ, A3s-AQs, K9s-KQs, QTs+, JTs, T9s, 98s, 87s, 76s, 65s, AJo-AQo, KQo:0.5"],
  ["btn-call-open", "22-TT, ATs-AQs, A5s:0.5, KTs+, QTs+, JTs, T9s, 98s, 87s:0.5, AQo:0.5, KQo:0.5"],
  ["3bet-polar", "QQ+, AKs, AKo, A5s-A2s, K9s-K7s:0.5, 76s:0.5, 65s:0.5"],
  ["4bet", "QQ+, JJ:0.3, AKs, AKo:0.8, A5s:0.8, A4s:0.4, KQs:0.2"],
  ["pairs", "22+"],
  ["broadway", "ATs+, KTs+, QTs+, JTs, ATo+, KTo+, QTo+, JTo"],
  ["suited-connectors", "T9s-54s"],
  ["any", "random"],
];
