"""Countries and what is larger, by their names in the languages that are understood.

Who lives in Madrid lives in Spain: of a town and a country neither excludes the other.
"""

from typing import Final

COUNTRIES: Final = frozenset(
    """
    africa afrika afrique áfrica asia asien asie europe europa australia australien australie america amerika amérique
    américa scandinavia skandinavien scandinavie escandinavia
    argentina argentinien argentine austria österreich autriche belgium belgien belgique bélgica brazil brasilien brésil
    brasil bulgaria bulgarien bulgarie canada kanada canadá chile chili china chine colombia kolumbien colombie croatia
    kroatien croatie croacia denmark dänemark danemark dinamarca egypt ägypten égypte egipto england angleterre
    inglaterra estonia estland estonie finland finnland finlande finlandia france frankreich francia germany deutschland
    allemagne alemania greece griechenland grèce grecia hungary ungarn hongrie hungría iceland island islande islandia
    india indien inde indonesia indonesien indonésie iran irán ireland irland irlande irlanda israel israël italy
    italien italie italia japan japon japón kenya kenia korea corée corea latvia lettland lettonie letonia lithuania
    litauen lituanie lituania luxembourg luxemburg luxemburgo malaysia malta mexico mexiko mexique méxico morocco
    marokko maroc marruecos nepal netherlands niederlande pays-bas holland hollande nigeria norway norwegen norvège
    noruega pakistan peru pérou perú philippines poland polen pologne polonia portugal romania rumänien roumanie rumania
    russia russland russie rusia scotland schottland écosse escocia serbia serbien serbie slovakia slowakei slovaquie
    slovenia slowenien slovénie spain spanien espagne españa sweden schweden suède suecia switzerland schweiz suisse
    suiza thailand thaïlande tunisia tunesien tunisie turkey türkei turquie turquía uk ukraine ucrania usa us vietnam
    wales galles gales
    bavaria bayern hessen sachsen brandenburg thüringen niedersachsen saxony bretagne brittany normandie normandy
    provence alsace catalonia cataluña andalucía andalusia tuscany toscana lombardia california texas florida ontario
    """.split()
)
