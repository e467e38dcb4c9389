"""The documents whose experiments are reproduced, as they are named in tables and notes."""

from __future__ import annotations

JOPPI_WENSING = "Joppi & Wensing 2023"
JOPPI_WENSING_IN_FULL = "N. L. Joppi Filho and I. M. Wensing (UFSC 2023)"
APARICIO = "Aparicio 2025"
APARICIO_IN_FULL = "G. Aparicio Llanquipacha (USFX 2025)"
JENSELME_KUJUNDZIC = "Jenselme & Kujundzic"
JENSELME_KUJUNDZIC_IN_FULL = "P. Jenselme and J. Kujundzic (undated)"
PRICOPE = "Pricope 2020"
PRICOPE_IN_FULL = "T.-V. Pricope (2020)"
TUHOLUKOVA = "Tuholukova 2020"
TUHOLUKOVA_IN_FULL = "Y. V. Tuholukova (KPI 2020)"
